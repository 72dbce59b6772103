// An editor, a supervisor or a person in front of one client: it runs the
// commands of its part one after the other, writes lines to the last one's stdin
// and keeps it open, and calls an address as new clients of a gateway would.
//
//   node drive.mjs '{"run": [["program", "arg"]], "lines": ["…"], "initialize": "http://…", "times": 3}'
import { spawn } from "node:child_process";
import { once } from "node:events";

const part = JSON.parse(process.argv[2]);
const last = part.run.length - 1;
let client;
for (const [i, [program, ...args]] of part.run.entries()) {
  client = spawn(program, args, {
    detached: true,
    stdio: [i === last && part.lines ? "pipe" : "ignore", "pipe", "ignore"],
  });
  client.stdout.resume();
  if (i < last) await once(client, "exit");
}
for (const line of part.lines ?? []) client.stdin.write(JSON.stringify(line) + "\n");
client.stdin?.on("error", () => {}); // it was killed

const initialize = JSON.stringify({
  jsonrpc: "2.0", id: 1, method: "initialize",
  params: { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "reaperd-test", version: "1.0.0" } },
});
const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
for (let called = 0; called < (part.times ?? 0); ) {
  const answer = await fetch(part.initialize, { method: "POST", headers, body: initialize }).catch(() => null);
  if (!answer) {
    await new Promise((again) => setTimeout(again, 200)); // it does not listen yet
    continue;
  }
  await answer.body?.cancel();
  called++;
}
setInterval(() => {}, 1 << 30);
