// The half that the JavaScript shells share: one Python child per host process, JSON-RPC 2.0 by lines over its pipes.
//
// The source lies in the engine (skillcaddy/js/bridge.mjs); `nox -s manifests` copies it into each plugin. It depends
// on Node alone, starts nothing when it is imported, and nothing in it may throw into a host's turn: `retrieve` gives
// text or "", `callTool` gives a sentence whatever happens.
// @ts-check
import { spawn } from "node:child_process";
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The wire's version; the engine refuses another one with a sentence that says what to update. */
export const PROTOCOL = 1;

const HERE = dirname(fileURLToPath(import.meta.url));
const MAX_LINE = 64 * 1024 * 1024;
const MAX_WAITING = 64;
const MAX_UNSENT = 32 * 1024 * 1024;
const START_MS = 10_000;
const HANDSHAKE_MS = 30_000;
const GRACE_MS = 1_000;
const MARGIN_MS = 300;
const BACK_OFF_MS = [0, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000];
const STDERR_LINES = 20;

/** @typedef {{ debug?: (text: string) => void, info: (text: string) => void, warn: (text: string) => void }} Log */
/** @typedef {{ role: string, content: string }} Message */
/**
 * @typedef {object} ModelRequest
 * @property {Message[]} messages
 * @property {number} maxTokens
 * @property {string} purpose
 * @property {AbortSignal} signal
 */
/** @typedef {{ text: string, model?: string, tokensIn?: number, tokensOut?: number }} ModelReply */
/** @typedef {(request: ModelRequest) => Promise<ModelReply>} Complete */
/**
 * @typedef {object} Hello what the shell says about itself and its host when a child starts
 * @property {{ id: string, version: string }} host
 * @property {string} shell version of the shell's package
 * @property {"auto" | "on_demand"} mode
 * @property {Record<string, unknown>} settings the host's configuration, as the user wrote it
 * @property {string} folder what relative folders in it start from, absolute; "" where the host does not say
 * @property {"turn" | "transcript"} retention how long the model sees what one turn was given
 * @property {{ auto_default_s: number, auto_cap_s?: number }} limits
 * @property {boolean} model whether `complete` reaches a model
 */
/**
 * @typedef {object} Asked what a request may bring along
 * @property {AbortSignal | undefined} [signal]
 * @property {Complete | undefined} [complete]
 * @property {number | undefined} [capMs] milliseconds after which the host would not wait any more, start included
 */

/** Why a request has no answer. `code` is one of missing, down, refused, timeout, cancelled, busy, failed. */
export class BridgeError extends Error {
  /** @param {string} code @param {string} message */
  constructor(code, message) {
    super(message);
    this.name = "BridgeError";
    this.code = code;
  }
}

/**
 * The one value of this name in the process, however often the host evaluates this module.
 * @template T @param {string} name @param {() => T} make @returns {T}
 */
export function processWide(name, make) {
  const key = Symbol.for(`skillcaddy.${name}`);
  const all = /** @type {Record<symbol, any>} */ (globalThis);
  return (all[key] ??= make());
}

/** Say something once per process; hosts register a plugin several times. @param {Log} log @param {string} text */
export function warnOnce(log, text) {
  const said = processWide("said", () => new Set());
  if (said.has(text) || said.size > 500) return;
  said.add(text);
  quietly(() => log.warn(text));
}

/** The mode: environment before configuration. A word that is no mode is said once and never becomes the other mode.
 * @param {unknown} configured @param {NodeJS.ProcessEnv} env @param {Log} log @returns {"auto" | "on_demand"} */
export function modeOf(configured, env, log) {
  const told = configured === "auto" || configured === "on_demand" ? configured : undefined;
  if (configured !== undefined && told === undefined) {
    warnOnce(log, `skillcaddy: mode is ${JSON.stringify(configured)}, which is no mode; it is "on_demand" (the default) or "auto". Going on with on_demand.`);
  }
  const fallback = told ?? "on_demand";
  const word = (env.SKILLCADDY_MODE ?? "").trim();
  if (word === "" || word === "auto" || word === "on_demand") return /** @type {"auto" | "on_demand"} */ (word || fallback);
  warnOnce(log, `skillcaddy: SKILLCADDY_MODE is ${JSON.stringify(word)}, which is no mode; it is "on_demand" or "auto". Going on with ${fallback}.`);
  return fallback;
}

/**
 * The tools and sentences of a language, from the rendered file beside this module.
 * @param {unknown} language
 * @returns {{ tools: { name: string, description: string, parameters: Record<string, unknown> }[], texts: Record<string, string> }}
 */
export function guidance(language) {
  const all = JSON.parse(readFileSync(join(HERE, "guidance.json"), "utf8"));
  return all[/** @type {string} */ (language)] ?? all.en;
}

/** How an engine is started. @typedef {{ command: string, args: string[] }} Launch */

/**
 * The interpreter that the configuration names, else SKILLCADDY_PYTHON, else `skillcaddy` on PATH; or the sentence
 * that says why there is none and what to do.
 * @param {{ configured: unknown, env: NodeJS.ProcessEnv, where: string, fix: string }} given
 * @returns {Launch | string}
 */
export function findEngine({ configured, env, where, fix }) {
  const tried = [];
  for (const [label, value] of [[where, configured], ["SKILLCADDY_PYTHON", env.SKILLCADDY_PYTHON]]) {
    if (typeof value !== "string" || value.trim() === "") {
      tried.push(`${label} is not set`);
      continue;
    }
    const found = executable(value.trim(), env);
    if (found) return { command: found, args: ["-m", "skillcaddy", "bridge"] };
    tried.push(`${label} is ${value}, which is no program`);
  }
  const onPath = executable("skillcaddy", env);
  if (onPath) return { command: onPath, args: ["bridge"] };
  tried.push("no `skillcaddy` on PATH");
  return `no Python with skillcaddy was found (${tried.join("; ")}). ${fix}`;
}

/** @param {string} name @param {NodeJS.ProcessEnv} env @returns {string | undefined} */
function executable(name, env) {
  const windows = process.platform === "win32";
  const home = env.HOME ?? env.USERPROFILE ?? "";
  const wanted = name.startsWith("~/") ? join(home, name.slice(2)) : name;
  const folders = isAbsolute(wanted) || /[\\/]/.test(wanted) ? [""] : (env.PATH ?? env.Path ?? "").split(delimiter);
  for (const folder of folders) {
    for (const ending of windows ? ["", ".exe"] : [""]) {
      const path = (folder ? join(folder, wanted) : wanted) + ending;
      try {
        accessSync(path, constants.X_OK);
        if (statSync(path).isFile()) return path;
      } catch {
        // not this one
      }
    }
  }
  return undefined;
}

/**
 * @typedef {object} Pending
 * @property {(value: any) => void} resolve
 * @property {(error: BridgeError) => void} reject
 * @property {Complete | undefined} complete
 */
/** @typedef {{ deadline_auto_s: number, deadline_tool_s: number, version: string, warnings: string[] }} Ready */

/**
 * The engine for this host, one per process however often the host registers the plugin. When the configuration has
 * changed since, the older engine's child ends as soon as it has answered what it was asked.
 * @param {{ find: () => Launch | string, hello: Hello, log: Log }} options @returns {Engine}
 */
export function sharedEngine(options) {
  /** @type {Map<string, Engine>} */
  const all = processWide(`engines.${PROTOCOL}.${options.hello.shell}`, () => new Map());
  const key = JSON.stringify(options.hello);
  let engine = all.get(key);
  if (engine === undefined) {
    engine = new Engine({
      ...options,
      starting: () => all.forEach((other, otherKey) => otherKey !== key && other.retire()),
    });
    all.set(key, engine);
  }
  engine.log = options.log;
  engine.find = options.find;
  return engine;
}

/** One engine: a child process that is started when it is first needed and replaced when it dies. */
export class Engine {
  /**
   * @param {object} options
   * @param {() => Launch | string} options.find
   * @param {Hello} options.hello
   * @param {Log} options.log
   * @param {() => void} [options.starting] called before a child is started
   * @param {() => number} [options.now] milliseconds; tests have their own clock
   */
  constructor({ find, hello, log, starting = () => {}, now = () => performance.now() }) {
    this.find = find;
    this.starting = starting;
    this.hello = hello;
    /** Replaced by each registration, since a host may close the log of an earlier one. */
    this.log = log;
    this.now = now;
    /** @type {Child | undefined} */
    this.child = undefined;
    this.failures = 0;
    this.notBefore = 0;
    this.cause = "";
    this.warned = false;
    this.starts = 0;
  }

  /**
   * The engine's answer. Rejects with a BridgeError, never with anything else.
   * @param {string} method @param {Record<string, unknown>} params
   * @param {"auto" | "tool"} surface @param {Asked} [asked] @returns {Promise<any>}
   */
  async request(method, params, surface, { signal, complete, capMs } = {}) {
    const begun = this.now();
    const left = () => (capMs ?? Infinity) - (this.now() - begun);
    if (signal?.aborted) throw new BridgeError("cancelled", "the host called it off");
    const child = this.living();
    const patience = surface === "auto" ? START_MS : HANDSHAKE_MS;
    const ready = await within(child.ready, Math.min(patience, left()), signal, "the engine did not start in time");
    const own = (surface === "auto" ? ready.deadline_auto_s : ready.deadline_tool_s) * 1000;
    const budget = Math.min(own, left() - MARGIN_MS - GRACE_MS);
    if (budget <= 0) throw new BridgeError("timeout", "the engine took too long to start");
    const { id, answer } = child.send(method, { ...params, deadline_s: budget / 1000 }, complete);
    try {
      const result = await within(answer, budget + GRACE_MS, signal, "the engine did not answer in time");
      this.failures = 0;
      this.warned = false;
      return result;
    } catch (error) {
      if (error instanceof BridgeError && (error.code === "timeout" || error.code === "cancelled")) child.cancel(id);
      throw error;
    }
  }

  /** Tell a running engine something that needs no answer; starts none. @param {string} method @param {object} params */
  tell(method, params) {
    if (this.child?.alive) this.child.write({ jsonrpc: "2.0", method, params });
  }

  /** The living child, started now if need be. @returns {Child} */
  living() {
    if (this.child?.alive) return this.child;
    if (this.now() < this.notBefore) throw new BridgeError("down", this.cause);
    const launch = this.find();
    if (typeof launch === "string") throw this.fallen("missing", launch);
    this.starts += 1;
    this.starting();
    this.child = new Child(launch, this.hello, {
      say: (level, text) => quietly(() => this.log[level]?.(text)),
      notice: (text) => warnOnce(this.log, text),
      gone: (cause, refused) => void this.fallen(refused ? "refused" : "down", cause),
    });
    return this.child;
  }

  /** Note a failure: the next start has to wait, and the first of an outage is a warning.
   * @param {string} code @param {string} cause */
  fallen(code, cause) {
    const pause = BACK_OFF_MS[Math.min(this.failures, BACK_OFF_MS.length - 1)] ?? 0;
    this.failures += 1;
    this.notBefore = this.now() + pause;
    this.cause = cause;
    if (!this.warned) {
      this.warned = true;
      const then = code === "missing" ? "" : " Turns go on without skills until it runs again.";
      quietly(() => this.log.warn(`skillcaddy: ${cause}${then}`));
    }
    return new BridgeError(code, cause);
  }

  /** End the child now, by end of input; a later request starts another. */
  close() {
    const child = this.child;
    this.child = undefined;
    child?.end();
  }

  /** End the child once it has answered everything; a later request starts another. */
  retire() {
    const child = this.child;
    this.child = undefined;
    child?.retire();
  }
}

/** One running child and what is asked of it. */
class Child {
  /**
   * @param {Launch} launch @param {Hello} hello
   * @param {{ say: (level: "debug" | "info" | "warn", text: string) => void, notice: (text: string) => void,
   *   gone: (cause: string, refused: boolean) => void }} ears
   */
  constructor(launch, hello, ears) {
    this.ears = ears;
    this.alive = true;
    this.ending = false;
    this.retiring = false;
    this.lastId = 0;
    this.garbage = 0;
    /** @type {Map<number, Pending>} */
    this.pending = new Map();
    /** @type {Map<unknown, AbortController>} */
    this.calls = new Map();
    /** @type {string[]} */
    this.lastWords = [];
    this.process = spawn(launch.command, launch.args, {
      cwd: HERE, // never the workspace: a folder there must not be able to stand in for a Python module
      env: { ...process.env, PYTHONSAFEPATH: "1" },
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
    });
    const { stdin, stdout, stderr } = this.process;
    this.process.on("error", (error) => this.gone(`${launch.command} could not be started (${error.message}).`));
    this.process.on("close", (code, signal) => this.gone(`the engine ended (${signal ?? `exit code ${code}`})${this.words()}.`));
    stdin.on("error", () => {}); // a broken pipe shows as `close`
    byLines(stdout, (line) => this.receive(line), () => this.gone("the engine sent a line without an end.", true));
    byLines(stderr, (line) => this.complaint(line.toString("utf8")), () => {});
    this.hold(false);
    /** @type {Promise<Ready>} */
    this.ready = this.send("initialize", { protocol: PROTOCOL, ...hello }, undefined).answer.then(
      (answer) => {
        for (const text of answer?.warnings ?? []) this.ears.notice(`skillcaddy: ${text}`);
        return answer;
      },
      (error) => {
        if (!this.alive) throw error;
        this.gone(error.message, true, true);
        throw new BridgeError("refused", error.message);
      },
    );
    this.ready.catch(() => {}); // whoever waits for it hears of it
    const timer = setTimeout(() => this.gone("the engine did not answer its handshake.", true), HANDSHAKE_MS);
    timer.unref();
    this.ready.then(() => clearTimeout(timer), () => clearTimeout(timer));
  }

  /** @param {string} method @param {Record<string, unknown>} params @param {Complete | undefined} complete */
  send(method, params, complete) {
    if (this.pending.size >= MAX_WAITING || this.process.stdin.writableLength > MAX_UNSENT) {
      throw new BridgeError("busy", "the engine has too much to do already");
    }
    const id = ++this.lastId;
    /** @type {Promise<any>} */
    const answer = new Promise((resolve, reject) => this.pending.set(id, { resolve, reject, complete }));
    answer.catch(() => {}); // it may fail after its caller has given up
    this.hold(true);
    this.write({ jsonrpc: "2.0", id, method, params });
    return { id, answer };
  }

  /** @param {object} message */
  write(message) {
    if (this.alive && this.process.stdin.writable) this.process.stdin.write(JSON.stringify(message) + "\n");
  }

  /** @param {number} id */
  cancel(id) {
    if (this.pending.delete(id)) {
      this.write({ jsonrpc: "2.0", method: "$/cancel", params: { id } });
      this.rest();
    }
  }

  /** @param {Buffer} line */
  receive(line) {
    let message;
    try {
      message = JSON.parse(line.toString("utf8"));
    } catch {
      message = undefined;
    }
    if (message === null || typeof message !== "object" || message.jsonrpc !== "2.0") {
      if (this.garbage++ === 0) this.ears.say("debug", `skillcaddy: the engine wrote something that is no message: ${line.toString("utf8", 0, 200)}`);
    } else if (typeof message.method === "string") {
      this.asked(message);
    } else {
      this.answered(message);
    }
  }

  /** @param {any} message */
  answered(message) {
    const waiting = this.pending.get(message.id);
    if (waiting === undefined) return; // given up meanwhile
    this.pending.delete(message.id);
    if (message.error === undefined) waiting.resolve(message.result);
    else waiting.reject(new BridgeError(message.error?.code === -32000 ? "busy" : "failed", String(message.error?.message ?? "no reason given")));
    this.rest();
  }

  /** What the engine asks of the host or tells it. @param {any} message */
  asked({ id, method, params }) {
    if (method === "log" && id === undefined) {
      const level = params?.level === "warn" || params?.level === "info" ? params.level : "debug";
      if (level === "warn") this.ears.notice(`skillcaddy: ${params?.message}`);
      else this.ears.say(level, `skillcaddy: ${params?.message}`);
    } else if (method === "$/cancel") {
      this.calls.get(params?.id)?.abort();
    } else if (method === "model.complete" && id !== undefined) {
      void this.modelCalled(id, params ?? {});
    } else if (id !== undefined) {
      this.write({ jsonrpc: "2.0", id, error: { code: -32601, message: "no such method" } });
    }
  }

  /** @param {unknown} id @param {any} params */
  async modelCalled(id, params) {
    const control = new AbortController();
    this.calls.set(id, control);
    const timer = setTimeout(() => control.abort(), Math.max(1, Number(params.deadline_s ?? 10) * 1000));
    try {
      const complete = this.pending.get(params.turn)?.complete ?? [...this.pending.values()].find((each) => each.complete)?.complete;
      if (complete === undefined) throw new Error("the turn that asked is over, or the host offers no model");
      const messages = Array.isArray(params.messages) ? params.messages : [];
      const reply = await complete({ messages, maxTokens: Number(params.max_tokens ?? 512), purpose: String(params.purpose ?? "skillcaddy"), signal: control.signal });
      this.write({ jsonrpc: "2.0", id, result: { text: reply.text, model: reply.model ?? "", tokens_in: reply.tokensIn ?? null, tokens_out: reply.tokensOut ?? null } });
    } catch (error) {
      this.write({ jsonrpc: "2.0", id, error: { code: control.signal.aborted ? -32800 : -32603, message: sentence(error) } });
    } finally {
      clearTimeout(timer);
      this.calls.delete(id);
    }
  }

  /** @param {string} text */
  complaint(text) {
    if (text.trim() === "") return;
    this.lastWords.push(text.slice(0, 300));
    if (this.lastWords.length <= STDERR_LINES) this.ears.say("debug", `skillcaddy (engine): ${text.slice(0, 2000)}`);
    else this.lastWords.shift();
  }

  words() {
    const last = this.lastWords.at(-1);
    return last === undefined ? "" : `: ${last.trim()}`;
  }

  /** A child at rest must not keep the host's process alive, one at work must. @param {boolean} busy */
  hold(busy) {
    const verb = busy ? "ref" : "unref";
    this.process[verb]();
    for (const pipe of [this.process.stdin, this.process.stdout, this.process.stderr]) {
      /** @type {any} */ (pipe)[verb]?.();
    }
  }

  rest() {
    if (this.pending.size > 0) return;
    this.hold(false);
    if (this.retiring) this.end();
  }

  retire() {
    this.retiring = true;
    this.rest();
  }

  /** @param {string} cause @param {boolean} [kill] @param {boolean} [refused] */
  gone(cause, kill = false, refused = false) {
    if (!this.alive) return;
    this.alive = false;
    const error = new BridgeError(refused ? "refused" : "down", cause);
    for (const each of this.pending.values()) each.reject(error);
    this.pending.clear();
    for (const control of this.calls.values()) control.abort();
    if (kill) this.process.kill("SIGKILL");
    this.hold(false);
    if (!this.ending) this.ears.gone(cause, refused);
  }

  end() {
    this.ending = true;
    this.gone("the engine was closed.");
    this.process.stdin.end();
    setTimeout(() => this.process.kill("SIGKILL"), 5_000).unref();
  }
}

/**
 * The text to add to this turn, or "". Never throws.
 * @param {Engine} engine @param {Record<string, unknown>} params @param {Asked} [asked] @returns {Promise<string>}
 */
export async function retrieve(engine, params, asked) {
  try {
    const answer = await engine.request("turn.retrieve", params, "auto", asked);
    return typeof answer?.text === "string" ? answer.text : "";
  } catch (error) {
    report(engine, "nothing was added to this turn", error);
    return "";
  }
}

/**
 * The answer to an agent's tool call, as text. Never throws.
 * @param {Engine} engine @param {Record<string, string>} texts @param {Record<string, unknown>} params
 * @param {Asked} [asked] @returns {Promise<string>}
 */
export async function callTool(engine, texts, params, asked) {
  try {
    const answer = await engine.request("tool.call", params, "tool", asked);
    if (typeof answer?.text === "string") return answer.text;
    throw new BridgeError("failed", "the answer holds no text");
  } catch (error) {
    report(engine, `${params.name} was answered without the library`, error);
    const code = error instanceof BridgeError ? error.code : "failed";
    const which = { missing: "engine_missing", down: "engine_missing", refused: "engine_missing", timeout: "timed_out" }[code] ?? "failure";
    return String(texts[which] ?? "").replace("{cause}", () => sentence(error).replace(/\.$/, ""));
  }
}

/** @param {Engine} engine @param {string} what @param {unknown} error */
function report(engine, what, error) {
  const code = error instanceof BridgeError ? error.code : "failed";
  const level = code === "timeout" || code === "busy" || code === "failed" ? "warn" : "debug";
  quietly(() => engine.log[level]?.(`skillcaddy: ${what} [${code}]: ${sentence(error)}`));
}

/** @param {unknown} error */
function sentence(error) {
  return (error instanceof Error ? error.message : String(error)).slice(0, 500);
}

/** @param {() => void} act */
function quietly(act) {
  try {
    act();
  } catch {
    // a log that fails must not cost the turn
  }
}

/**
 * @template T @param {Promise<T>} work @param {number} ms @param {AbortSignal | undefined} signal @param {string} late
 * @returns {Promise<T>}
 */
function within(work, ms, signal, late) {
  return new Promise((resolve, reject) => {
    const end = (/** @type {() => void} */ settle) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      settle();
    };
    const stop = () => end(() => reject(new BridgeError("cancelled", "the host called it off")));
    const timer = setTimeout(() => end(() => reject(new BridgeError("timeout", late))), Math.max(0, ms));
    signal?.addEventListener("abort", stop, { once: true });
    work.then((value) => end(() => resolve(value)), (error) => end(() => reject(error)));
  });
}

/**
 * Hand over a stream's lines as bytes, since a character may lie across two chunks.
 * @param {import("node:stream").Readable} stream @param {(line: Buffer) => void} take @param {() => void} tooLong
 */
function byLines(stream, take, tooLong) {
  /** @type {Buffer[]} */
  let parts = [];
  let size = 0;
  stream.on("error", () => {});
  stream.on("data", (/** @type {Buffer} */ chunk) => {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      parts.push(chunk.subarray(from, end));
      const line = Buffer.concat(parts);
      parts = [];
      size = 0;
      from = end + 1;
      if (line.length > 0) take(line);
    }
    const rest = chunk.subarray(from);
    size += rest.length;
    if (size > MAX_LINE) {
      parts = [];
      size = 0;
      tooLong();
    } else if (rest.length > 0) {
      parts.push(rest);
    }
  });
}
