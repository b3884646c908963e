// A stand-in for the host, in our own words: as silent, and as harsh, as the real one was seen to be.
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as plugin from "../plugin/index.mjs";

const CHILD = new URL("../../../engine/tests/js/child.mjs", import.meta.url).pathname;
let made = 0;

/** A host with the plugin's row in it. Its "Python" is a script that starts the test child with that manner. */
export function host(t, { manner = "good", config = {}, services = {}, taken = [] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "dsh-"));
  const diary = join(folder, "diary");
  const python = join(folder, "python");
  writeFileSync(diary, "");
  writeFileSync(python, `#!/bin/sh\nexec "${process.execPath}" "${CHILD}" ${manner} "${diary}"\n`);
  chmodSync(python, 0o755);
  const said = [];
  const seen = { tools: new Map(taken.map((name) => [name, "another plugin's"])), listeners: [], disposers: [], swallowed: [], stderr: [] };
  const here = { tools: tools(seen), ...services };
  const ctx = {
    logger: { debug: (_, text) => said.push(`debug: ${text}`), info: (_, text) => said.push(`info: ${text}`), warn: (_, text) => said.push(`warn: ${text}`) },
    // The callback waits for its services, and what it throws is lost.
    inject(names, callback) {
      if (names.some((name) => here[name] === undefined)) return;
      try {
        callback(ctx);
      } catch (error) {
        seen.swallowed.push(error.message);
      }
    },
    on: (event, listener, options) => seen.listeners.push({ event, listener, options }),
    effect: (start) => seen.disposers.push(start()),
    get: (name) => here[name],
    get tools() {
      if (here.tools === undefined) throw new Error('cannot get property "tools" without inject');
      return here.tools;
    },
  };
  const write = process.stderr.write;
  t.after(() => {
    process.stderr.write = write;
    seen.disposers.forEach((dispose) => dispose());
  });
  process.stderr.write = (text) => (seen.stderr.push(String(text)), true);

  /** As the loader does it: check the config, then apply; either failing means that the host does not boot. */
  function boot() {
    // A number of its own gives each test an engine of its own.
    const given = { python, gate_pool: 1 + (made++ % 29), max_chars: 500 + made, ...config };
    const checked = plugin.Config["~standard"].validate(given);
    if (typeof checked.then === "function") throw new TypeError("asynchronous validation");
    if (checked.issues) throw new TypeError(checked.issues.map((issue) => issue.message).join("\n"));
    plugin.apply(ctx, checked.value);
  }

  /** One step of a turn: the listeners wrap each other, the first one outermost; a throw ends the turn. */
  async function step(messages, { agent = anAgent(), signal = new AbortController().signal, inner = (payload) => ({ kind: "enter", messages: payload.messages }) } = {}) {
    const chain = seen.listeners.filter((each) => each.event === "agent/pre-step");
    chain.sort((a, b) => Number(b.options?.prepend ?? false) - Number(a.options?.prepend ?? false));
    const payload = { agent, messages, turn: 1, step: 1, signal };
    const run = (index) => (index < chain.length ? chain[index].listener(payload, () => run(index + 1)) : Promise.resolve(inner(payload)));
    return run(0);
  }

  async function call(name, args, exec = {}) {
    const tool = seen.tools.get(name);
    const value = await tool.execute(args, { signal: new AbortController().signal, ...exec });
    if (typeof value !== tool.output.schema.type) throw new Error("the value does not fit output.schema");
    return tool.output.render(args, value);
  }

  const emit = (event, ...args) => seen.listeners.filter((each) => each.event === event).forEach((each) => each.listener(...args));
  const lines = () => readFileSync(diary, "utf8").split("\n").filter(Boolean);
  const asked = (method) => lines().filter((line) => line.startsWith("{")).map((line) => JSON.parse(line)).filter((each) => each.method === method);
  return { boot, step, call, emit, seen, said, lines, asked, ctx, folder };
}

function tools(seen) {
  return {
    register(definition) {
      if (definition.output === undefined) throw new Error("output is missing");
      if (seen.tools.has(definition.name)) throw new Error(`tool "${definition.name}" is already registered`);
      seen.tools.set(definition.name, definition);
    },
    schemas: (agent) => (seen.walked = (seen.walked ?? 0) + 1, (agent?.tools ?? []).map((name) => ({ name, description: "", parameters: {} }))),
  };
}

export function anAgent({ header = {}, messages = [] } = {}) {
  return { tools: ["bash", "read"], session: { id: "session-1", header: { cwd: "/somewhere/here", ...header }, deriveMessages: () => messages } };
}

export const user = (text) => ({ role: "user", id: "m", content: [{ type: "text", text }], source: { kind: "user" } });

/** Wait until that is so, at most as long as nothing here should take. */
export async function until(isSo) {
  for (const end = Date.now() + 20_000; !isSo(); ) {
    if (Date.now() > end) throw new Error(`never: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
