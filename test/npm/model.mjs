// A model with one idea: it calls the tool that waits, where a client offers it,
// and else it thinks for ever. Either way the client is at work, with its servers
// started. It says a word each second, so that none gives it up.
import { createServer } from "node:http";

const reply = (delta, finish_reason = null) =>
  `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "mock", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

createServer(async (request, answer) => {
  let body = "";
  for await (const part of request) body += part;
  const name = body && JSON.parse(body).tools?.map((tool) => tool.function?.name).find((name) => name?.endsWith("wait"));
  answer.writeHead(200, { "content-type": "text/event-stream" });
  if (name) {
    answer.write(reply({ role: "assistant", tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name, arguments: "{}" } }] }));
    answer.end(`${reply({}, "tool_calls")}data: [DONE]\n\n`);
    return;
  }
  const speaking = setInterval(() => answer.write(reply({ content: "so " })), 1000);
  answer.on("close", () => clearInterval(speaking));
}).listen(18080, "127.0.0.1");
