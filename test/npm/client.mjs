// A client of the official SDK: it starts its servers with npx and, each time
// it gets a SIGUSR1, asks every one of them and writes who answered. With
// --call it then leaves a long tool call in flight.
import { renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [run, name, option] = process.argv.slice(2);
const cwd = dirname(fileURLToPath(import.meta.url));
const servers = {
  everything: ["@modelcontextprotocol/server-everything"],
  memory: ["@modelcontextprotocol/server-memory"],
  filesystem: ["@modelcontextprotocol/server-filesystem", cwd],
};

const write = (file, text) => {
  const path = `${run}/${name}.${file}`;
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
};

const clients = {};
for (const [server, args] of Object.entries(servers)) {
  const client = new Client({ name: "reaperd-test", version: "1.0.0" });
  await client.connect(
    new StdioClientTransport({ command: "npx", args: ["-y", ...args], cwd, env: { ...process.env }, stderr: "ignore" }),
  );
  clients[server] = client;
}

let turn = 0;
process.on("SIGUSR1", async () => {
  const from = {};
  for (const [server, client] of Object.entries(clients)) {
    from[server] = await client.listTools().then((answer) => answer.tools.length > 0, () => false);
  }
  write("answers", JSON.stringify({ turn: ++turn, from }));
});

if (option === "--call") {
  const { tools } = await clients.everything.listTools();
  const long = tools.find((tool) => /long.?running/i.test(tool.name));
  if (!long) throw new Error(`no long-running tool among ${tools.map((tool) => tool.name)}`);
  clients.everything
    .callTool({ name: long.name, arguments: { duration: 600, steps: 2 } }, undefined, { timeout: 900_000 })
    .catch(() => {});
  await clients.everything.ping(); // answered after the call was read
}
write("ready", "");
setInterval(() => {}, 1 << 30);
