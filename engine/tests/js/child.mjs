// A child that behaves as badly as a test asks: `node child.mjs MANNER`. It speaks the engine's side of the bridge.
import { createInterface } from "node:readline";
import { appendFileSync } from "node:fs";

const [manner = "good", diary] = process.argv.slice(2);
const note = (text) => diary && appendFileSync(diary, `${text}\n`);
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
note(`start ${process.pid}`);
if (manner === "noisy") process.stdout.write("Welcome to Python!\n\u0000\u00ff{]\n[1,2]\nnull\n");
if (manner === "dies-at-start") {
  process.stderr.write("No module named skillcaddy\n");
  process.exit(1);
}

const deadline = manner.startsWith("slow") ? 0.3 : 8;
let asked = 0;
createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line);
    note(line.slice(0, 5000));
    if (message.method === undefined) return answered(message);
    if (message.id === undefined) return undefined;
    if (message.method === "initialize") {
      if (manner === "mute") return undefined;
      if (manner === "refuses") return send({ id: message.id, error: { code: -32602, message: "speaks another protocol" } });
      return send({ id: message.id, result: { protocol: 1, version: "0", deadline_auto_s: deadline, deadline_tool_s: deadline, warnings: ["mode is odd"] } });
    }
    asked += 1;
    return work(message);
  })
  .on("close", () => {
    note("end of input");
    process.exit(0);
  });

function work({ id, params }) {
  const result = { text: `${params.prompt ?? params.arguments?.query} by ${process.pid}`, deadline_s: params.deadline_s };
  if (manner === "slow" || (manner === "slow-once" && asked === 1)) return undefined;
  if (manner === "dies" || params.prompt === "die") return process.exit(3);
  if (manner === "big") return send({ id, result: { text: "ä".repeat(5_000_000) } });
  if (manner === "endless") return process.stdout.write(Buffer.alloc(80 * 1024 * 1024, 97));
  if (manner === "silent-answer") return send({ id, result: {} });
  if (manner === "error") return send({ id, error: { code: -32603, message: "internal error (KeyError)" } });
  if (manner === "late") return setTimeout(() => send({ id, result }), Number(params.arguments?.ms ?? 100));
  if (manner === "model") return send({ id: 900 + id, method: "model.complete", params: { turn: id, messages: [{ role: "user", content: params.prompt }], max_tokens: 5, deadline_s: 0.3 } });
  if (manner === "halves") {
    const line = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, result: { text: "grüße 技能" } }) + "\n");
    process.stdout.write(line.subarray(0, 45));
    return setTimeout(() => process.stdout.write(line.subarray(45)), 30);
  }
  return send({ id, result });
}

function answered({ id, result, error }) {
  if (id > 900) send({ id: id - 900, result: { text: result?.text ?? `no model: ${error.message}` } });
}
