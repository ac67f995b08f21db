// A real small model behind OpenAI's dialect on loopback: its deltas, its pauses and its errors are nobody's script.
//
//     node serve.mjs <folder with node_modules> <model file> <file that gets the base URL>
//
// The model's name in a request decides one thing: `smollm2-untold` keeps its usage to itself, as many servers do.
// One request is answered at a time, and tools are ignored: the model is too small to call them.
import { renameSync, writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, modelPath, announce] = process.argv.slice(2);
const library = pathToFileURL(join(folder, "node_modules/node-llama-cpp/dist/index.js"));
const { ChatMLChatWrapper, LlamaChatSession, LlamaLogLevel, getLlama } = await import(library);

const llama = await getLlama({ build: "never", gpu: false, logLevel: LlamaLogLevel.error });
const model = await llama.loadModel({ modelPath });
// Threads that wait for each other crawl where others want the processors too; one does not wait.
const context = await model.createContext({ contextSize: 4096, threads: 1 });
const sequence = context.getSequence();

// What a message says, whether in one piece or in parts.
function textOf({ content }) {
  return Array.isArray(content) ? content.map((part) => part.text ?? "").join("") : (content ?? "");
}

function historyItem(message) {
  if (message.role === "assistant") return { type: "model", response: [textOf(message)] };
  return { type: message.role === "user" ? "user" : "system", text: textOf(message) };
}

// Answers in pieces, each of which goes to `onTextChunk`, and says what that used.
async function generate({ messages, max_tokens: asked }, onTextChunk, signal) {
  // Without what it remembers of the last request, each token of this one is counted.
  await sequence.clearHistory();
  const before = sequence.tokenMeter.getState();
  const session = new LlamaChatSession({ contextSequence: sequence, chatWrapper: new ChatMLChatWrapper() });
  try {
    session.setChatHistory(messages.slice(0, -1).map(historyItem));
    const maxTokens = Math.min(asked ?? 48, 48);
    const options = { maxTokens, temperature: 0.7, onTextChunk, signal, stopOnAbortSignal: true };
    const { stopReason } = await session.promptWithMeta(textOf(messages.at(-1)), options);
    const used = sequence.tokenMeter.diff(before);
    const tokens = { prompt_tokens: used.usedInputTokens, completion_tokens: used.usedOutputTokens };
    const usage = { ...tokens, total_tokens: used.usedInputTokens + used.usedOutputTokens };
    return { finish: stopReason === "maxTokens" ? "length" : "stop", usage };
  } finally {
    session.dispose({ disposeSequence: false });
  }
}

async function stream(request, response) {
  const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 0, model: request.model };
  const send = (fields) => response.write(`data: ${JSON.stringify({ ...head, ...fields })}\n\n`);
  const choice = (delta, finish_reason = null) => send({ choices: [{ index: 0, delta, finish_reason }] });

  // Nobody waits for the rest of a reply once its reader is gone.
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  response.writeHead(200, { "content-type": "text/event-stream" });
  choice({ role: "assistant", content: "" });
  const { finish, usage } = await generate(request, (content) => choice({ content }), gone.signal);
  choice({}, finish);
  if (request.model !== "smollm2-untold") send({ choices: [], usage });
  response.end("data: [DONE]\n\n");
}

function refuse(response, status, message) {
  // What has begun cannot become an error any more; it can only end without its end.
  if (response.headersSent) return response.destroy();
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ error: { message } }));
}

async function answer(incoming, response) {
  let body = "";
  for await (const piece of incoming) body += piece;
  if (incoming.url !== "/v1/chat/completions") return refuse(response, 404, `there is no ${incoming.url}`);
  const request = JSON.parse(body);
  if (!request.stream) return refuse(response, 400, "this server streams, and nothing else");
  turns = turns.then(() => stream(request, response)).catch((error) => refuse(response, 500, String(error)));
}

let turns = Promise.resolve();
const server = http.createServer((incoming, response) => {
  answer(incoming, response).catch((error) => refuse(response, 400, String(error)));
});
server.listen(0, "127.0.0.1", () => {
  // Renamed, since half of an address is one as well.
  writeFileSync(`${announce}.part`, `http://127.0.0.1:${server.address().port}/v1`);
  renameSync(`${announce}.part`, announce);
});
