// When the engine runs: a child is started when it is first needed, waited for as long as the host allows, and replaced
// when it dies, after ever longer pauses.
// @ts-check
import { Child, HANDSHAKE_MS } from "./bridge-child.mjs";
import { BridgeError, PROTOCOL } from "./bridge-wire.mjs";

const START_MS = 10_000;
const GRACE_MS = 1_000;
const MARGIN_MS = 300;
const BACK_OFF_MS = [0, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000];

/** @typedef {import("./bridge-child.mjs").Hello} Hello */
/** @typedef {import("./bridge-child.mjs").Launch} Launch */
/** @typedef {import("./bridge-wire.mjs").Complete} Complete */
/** @typedef {{ debug?: (text: string) => void, info: (text: string) => void, warn: (text: string) => void }} Log */
/**
 * @typedef {object} Asked what a request may bring along
 * @property {AbortSignal | undefined} [signal]
 * @property {Complete | undefined} [complete]
 * @property {number | undefined} [capMs] milliseconds after which the host would not wait any more, start included
 */

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
    const { id, answer } = child.wire.send(method, { ...params, deadline_s: budget / 1000 }, complete);
    try {
      const result = await within(answer, budget + GRACE_MS, signal, "the engine did not answer in time");
      this.failures = 0;
      this.warned = false;
      return result;
    } catch (error) {
      if (error instanceof BridgeError && (error.code === "timeout" || error.code === "cancelled")) child.wire.cancel(id);
      throw error;
    }
  }

  /** Tell a running engine something that needs no answer; starts none. @param {string} method @param {object} params */
  tell(method, params) {
    if (this.child?.alive) this.child.wire.write({ jsonrpc: "2.0", method, params });
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

/** Do it, whatever comes of it. @param {() => void} act */
export function quietly(act) {
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
