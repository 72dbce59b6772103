// An agent of the official SDK that works without anybody: every second it asks
// its two servers, and counts the rounds in which both have answered.
import { renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [run, name] = process.argv.slice(2);
const cwd = dirname(fileURLToPath(import.meta.url));

const clients = [];
for (const server of ["@modelcontextprotocol/server-everything", "@modelcontextprotocol/server-memory"]) {
  const client = new Client({ name: "reaperd-test", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command: "npx", args: ["-y", server], cwd, env: { ...process.env }, stderr: "ignore" }));
  clients.push(client);
}

let rounds = 0;
for (;;) {
  await Promise.all(clients.map((client) => client.listTools()));
  const path = `${run}/${name}.rounds`;
  writeFileSync(`${path}.new`, String(++rounds));
  renameSync(`${path}.new`, path);
  await new Promise((resolve) => setTimeout(resolve, 1000));
}
