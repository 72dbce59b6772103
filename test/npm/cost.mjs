// A client of the official SDK with the same server twice, as it is and below
// reaperd exec. It calls a tool of each in turns of a batch, so that whatever
// else the machine does falls on both, and writes what a call took.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [reaperd, calls] = [process.argv[2], Number(process.argv[3])];
const cwd = dirname(fileURLToPath(import.meta.url));
const batch = 100;
const servers = {
  everything: { line: ["npx", "-y", "@modelcontextprotocol/server-everything"], tool: "echo", arguments: { message: "m".repeat(64) } },
  filesystem: { line: ["npx", "-y", "@modelcontextprotocol/server-filesystem", cwd], tool: "list_allowed_directories", arguments: {} },
};

const start = async ([command, ...args]) => {
  const began = performance.now();
  const client = new Client({ name: "reaperd-test", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command, args, cwd, env: { ...process.env }, stderr: "ignore" }));
  return { client, ready: performance.now() - began, took: [] };
};

const median = (numbers, at = 0.5) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * at)];
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const told = ({ ready, took }) => ({
  ready_ms: ready, calls: took.length, total_ms: sum(took), p50_ms: median(took), p99_ms: median(took, 0.99),
});

for (const [name, server] of Object.entries(servers)) {
  const plain = await start(server.line);
  const below = await start([reaperd, "exec", "--name", name, "--", ...server.line]);
  for (let done = -batch; done < calls; done += batch) {
    for (const side of (done / batch) % 2 ? [plain, below] : [below, plain]) {
      for (let i = 0; i < batch; i++) {
        const began = performance.now();
        const answer = await side.client.callTool({ name: server.tool, arguments: server.arguments });
        if (answer.isError || answer.content.length === 0) throw new Error(`${name}: ${JSON.stringify(answer)}`);
        if (done >= 0) side.took.push(performance.now() - began); // the first batch warms up
      }
    }
  }
  const began = performance.now();
  await below.client.close();
  const closed = performance.now() - began;
  await plain.client.close();
  console.log(JSON.stringify({ server: name, plain: told(plain), below: told(below), close_ms: closed }));
}
