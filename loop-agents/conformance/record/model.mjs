// A scripted model for recordings and tests: aimock behind a thin proxy on loopback.
//
// aimock speaks every vendor's dialect, but in most of them reports neither cached tokens nor
// reasoning, and those are the figures that parsers get wrong. So the proxy adds them to what passes.
//
//     node model.mjs <aimock's folder> <file that gets the base URL>
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [aimock, announce] = process.argv.slice(2);

// aimock does not choose a port by itself.
const freePort = () =>
  new Promise((found) => {
    const probe = http.createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => found(port));
    });
  });
const UPSTREAM = await freePort();

// How each agent calls the tool that runs a command.
const TOOLS = {
  pi: (command) => ({ name: "bash", arguments: { command } }),
  codex: (command) => ({ name: "exec_command", arguments: { cmd: command } }),
  gemini: (command) => ({ name: "run_shell_command", arguments: { command } }),
  opencode: (command) => ({ name: "bash", arguments: { command, description: "run it" } }),
  claude: (command) => ({ name: "Bash", arguments: { command } }),
};

// How each agent starts a command and does not wait for it: with an option of the tool, or of the shell.
const inShell = (agent) => (command) => TOOLS[agent](`${command} >/dev/null 2>&1 &`);
const having = (agent, more) => (command) => {
  const call = TOOLS[agent](command);
  return { ...call, arguments: { ...call.arguments, ...more } };
};
const BACKGROUND = {
  pi: inShell("pi"),
  codex: having("codex", { yield_time_ms: 500 }),
  gemini: having("gemini", { is_background: true }),
  opencode: inShell("opencode"),
  claude: having("claude", { run_in_background: true }),
};

// How each agent calls the tool that writes a file; codex has none but its shell.
const WRITES = {
  pi: (path, content) => ({ name: "write", arguments: { path, content } }),
  codex: (path, content) => TOOLS.codex(`echo ${content} >${path}`),
  gemini: (file_path, content) => ({ name: "write_file", arguments: { file_path, content } }),
  opencode: (filePath, content) => ({ name: "write", arguments: { filePath, content } }),
  claude: (file_path, content) => ({ name: "Write", arguments: { file_path, content } }),
};

// Prompts are "<agent>-<scenario>: ...".
function scripts(agent, tool) {
  const using = (call, usage, ...more) => ({
    content: "I will write the file.",
    toolCalls: [call, ...more].map((call) => ({ ...call, arguments: JSON.stringify(call.arguments) })),
    usage: { prompt_tokens: usage[0], completion_tokens: usage[1], total_tokens: usage[0] + usage[1] },
  });
  const call = (command, usage) => using(tool(command), usage);
  const edit = using(WRITES[agent]("answer.txt", "done"), [1200, 40]);
  const reply = (content, input, output) => ({
    content,
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  });
  const on = (scenario, hasToolResult, response, more = {}) => ({
    match: { userMessage: `${agent}-${scenario}`, ...(hasToolResult === null ? {} : { hasToolResult }) },
    response,
    ...more,
  });
  return [
    on("tool", false, call("echo done >done.txt", [1200, 40])),
    on("tool", true, reply("The file is written.", 1300, 8)),
    on("edit", false, edit),
    on("edit", true, reply("The file is written.", 1300, 8)),
    // It leaves its work unfinished. In the next turn its prompt has a note about that, and only then it does its work.
    on("background, iteration 2", false, edit),
    on("background", false, using(BACKGROUND[agent]("sleep 321"), [1200, 40])),
    on("background", true, reply("The work goes on.", 1300, 8)),
    on("wait", false, using(BACKGROUND[agent]("(sleep 2; echo done >answer.txt)"), [1200, 40])),
    on("wait", true, reply("The work goes on.", 1300, 8)),
    on("sandbox", false, using(WRITES[agent]("answer.txt", "done"), [1200, 40], tool("sh ./step"))),
    on("sandbox", true, reply("The file is written.", 1300, 8)),
    // Who has to be cut waits for longer than it takes to be.
    on("long", false, edit),
    on("long", true, reply("I am still here.", 1300, 8), { chaos: { latencyMs: 30000 } }),
    // The tool ends its agent: a run that is cut in its middle, at the same place each time.
    on("cut", false, call("kill -9 $PPID", [1200, 40])),
    on("cut", true, reply("I am still here.", 1300, 8)),
    on("limit", null, {
      error: { message: "Rate limit exceeded. Please retry after 30 seconds.", type: "rate_limit_error", code: "rate_limit_exceeded" },
      status: 429,
    }),
    on("fault", null, { error: { message: "The server had an error.", type: "server_error" }, status: 500 }),
    // An agent that tries a fault again for ever ends at this one.
    on("refused", null, { error: { message: "The request is not valid.", type: "invalid_request_error" }, status: 400 }),
  ];
}

// What aimock leaves out. Claude's input counts have the cached tokens beside them, the others' within.
const ADDITIONS = [
  [/("type":"message_start".*?"usage":\{"input_tokens":)(\d+)(,"output_tokens":)\d+/g, (_, a, n, b) =>
    `${a}${n - 1000}${b}1,"cache_read_input_tokens":900,"cache_creation_input_tokens":100`],
  [/("usage":\{"input_tokens":)(\d+)(,"output_tokens":)(\d+)(,"total_tokens":\d+)/g,
    `$1$2,"input_tokens_details":{"cached_tokens":1000}$3$4,"output_tokens_details":{"reasoning_tokens":5}$5`],
  [/("prompt_tokens":\d+,"completion_tokens":\d+,"total_tokens":\d+)/g,
    `$1,"prompt_tokens_details":{"cached_tokens":1000},"completion_tokens_details":{"reasoning_tokens":5}`],
  [/("promptTokenCount":)([1-9]\d+)(,"candidatesTokenCount":\d+),"totalTokenCount":(\d+)/g, (_, a, n, b, total) =>
    `${a}${n}${b},"cachedContentTokenCount":1000,"thoughtsTokenCount":5,"totalTokenCount":${+total + 5}`],
];

function forward(request, response) {
  const headers = { ...request.headers, host: `127.0.0.1:${UPSTREAM}`, "accept-encoding": "identity" };
  const upstream = http.request({ port: UPSTREAM, method: request.method, path: request.url, headers }, (reply) => {
    const chunks = [];
    reply.on("data", (chunk) => chunks.push(chunk));
    reply.on("end", () => {
      let body = Buffer.concat(chunks).toString();
      for (const [pattern, addition] of ADDITIONS) body = body.replace(pattern, addition);
      const { "content-length": _, "transfer-encoding": __, ...kept } = reply.headers;
      response.writeHead(reply.statusCode, kept).end(body);
    });
  });
  request.pipe(upstream);
}

// aider calls no tools: it reads the file from the text.
const WHOLE_FILE = { match: { userMessage: "aider-" }, response: { content: "answer.txt\n```\ndone\n```\n" } };

const fixtures = Object.entries(TOOLS).flatMap(([agent, tool]) => scripts(agent, tool)).concat(WHOLE_FILE);
const folder = mkdtempSync(join(tmpdir(), "model-"));
writeFileSync(join(folder, "fixtures.json"), JSON.stringify({ fixtures }));
const cli = join(aimock, "node_modules/@copilotkit/aimock/dist/cli.js");
const child = spawn(process.execPath, [cli, "-p", UPSTREAM, "-f", folder, "--log-level", "warn"], { stdio: "inherit" });
process.on("SIGTERM", () => {
  child.kill();
  rmSync(folder, { recursive: true });
  process.exit();
});

const server = http.createServer(forward);
// aimock is there once it answers.
const ready = setInterval(() => {
  http.get({ port: UPSTREAM, path: "/v1/models" }, (reply) => {
    reply.resume();
    clearInterval(ready);
    if (!server.listening) server.listen(0, "127.0.0.1", () => writeFileSync(announce, `http://127.0.0.1:${server.address().port}`));
  }).on("error", () => {});
}, 100);
