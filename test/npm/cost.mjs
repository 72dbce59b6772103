// A client of the official SDK with the same server three times: as it is, below
// reaperd exec, and as it is once more, which shows how far two equal ones differ
// on this machine. Each round starts three new ones. It calls a tool of each in
// turns of a batch, in another order every time, so that whatever else the machine
// does falls on all, and writes what the calls of a round took.
import { readFileSync, readdirSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [reaperd, rounds, calls] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const cwd = dirname(fileURLToPath(import.meta.url));
const batch = 50;
const servers = {
  everything: { line: ["npx", "-y", "@modelcontextprotocol/server-everything"], tool: "echo", arguments: { message: "m".repeat(64) } },
  filesystem: { line: ["npx", "-y", "@modelcontextprotocol/server-filesystem", cwd], tool: "list_allowed_directories", arguments: {} },
};

const start = async ([command, ...args]) => {
  const began = performance.now();
  const client = new Client({ name: "reaperd-test", version: "1.0.0" });
  const transport = new StdioClientTransport({ command, args, cwd, env: { ...process.env }, stderr: "ignore" });
  await client.connect(transport);
  return { client, pid: transport.pid, ready: performance.now() - began, took: [], used: 0 };
};

// What the first process of a side has used of the processors, in ms (schedstat,
// first field, in ns).
const used = ({ pid }) =>
  sum(readdirSync(`/proc/${pid}/task`).map((task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]))) / 1e6;

const median = (numbers, at = 0.5) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * at)];
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const batches = (took, of) => took.filter((_, i) => i % batch === 0).map((_, turn) => of(took.slice(turn * batch, (turn + 1) * batch)));
const told = ({ ready, took, used }) => ({
  ready_ms: ready, calls: took.length, batches_ms: batches(took, sum), medians_ms: batches(took, (calls) => median(calls)), used_ms: used, p50_ms: median(took), p99_ms: median(took, 0.99),
});

const call = async (name, server, side) => {
  const began = performance.now();
  const answer = await side.client.callTool({ name: server.tool, arguments: server.arguments });
  if (answer.isError || answer.content.length === 0) throw new Error(`${name}: ${JSON.stringify(answer)}`);
  return performance.now() - began;
};

const round = async (name, server) => {
  const below = [reaperd, "exec", "--name", name, "--", ...server.line];
  const sides = [await start(server.line), await start(below), await start(server.line)];
  for (let done = -4 * batch, turn = 0; done < calls; done += batch, turn++) {
    if (done === 0) sides[1].used = -used(sides[1]);
    for (let i = 0; i < sides.length; i++) {
      const side = sides[(turn + i) % sides.length];
      for (let n = 0; n < batch; n++) {
        const took = await call(name, server, side);
        if (done >= 0) side.took.push(took); // the first batches warm up
      }
    }
  }
  sides[1].used += used(sides[1]);
  const began = performance.now();
  await sides[1].client.close();
  const closed = performance.now() - began;
  await Promise.all([sides[0].client.close(), sides[2].client.close()]);
  const [plain, wrapped, again] = sides.map(told);
  console.log(JSON.stringify({ server: name, plain, below: wrapped, again, close_ms: closed }));
};

for (const [name, server] of Object.entries(servers)) {
  for (let i = 0; i < rounds; i++) await round(name, server);
}
