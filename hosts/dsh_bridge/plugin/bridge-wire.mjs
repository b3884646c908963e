// The wire to the engine: JSON-RPC 2.0, a message a line. The host asks, and may be asked back for its model.
// @ts-check

/** The wire's version; the engine refuses another one with a sentence that says what to update. */
export const PROTOCOL = 1;

const MAX_LINE = 64 * 1024 * 1024;
const MAX_WAITING = 64;
const MAX_UNSENT = 32 * 1024 * 1024;

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
 * @typedef {object} Pending
 * @property {(value: any) => void} resolve
 * @property {(error: BridgeError) => void} reject
 * @property {Complete | undefined} complete
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

/** What is asked over one connection, and what is asked back. */
export class Wire {
  /**
   * @param {import("node:stream").Writable} out
   * @param {{ say: (level: "debug" | "info" | "warn", text: string) => void, notice: (text: string) => void,
   *   busy: (busy: boolean) => void }} ears `busy` hears when something is asked and when all is answered
   */
  constructor(out, ears) {
    this.out = out;
    this.ears = ears;
    this.open = true;
    this.lastId = 0;
    this.garbage = 0;
    /** @type {Map<number, Pending>} */
    this.pending = new Map();
    /** @type {Map<unknown, AbortController>} */
    this.calls = new Map();
  }

  /** Whether something waits for an answer. */
  get busy() {
    return this.pending.size > 0;
  }

  /** @param {string} method @param {Record<string, unknown>} params @param {Complete | undefined} complete */
  send(method, params, complete) {
    if (this.pending.size >= MAX_WAITING || this.out.writableLength > MAX_UNSENT) {
      throw new BridgeError("busy", "the engine has too much to do already");
    }
    const id = ++this.lastId;
    /** @type {Promise<any>} */
    const answer = new Promise((resolve, reject) => this.pending.set(id, { resolve, reject, complete }));
    answer.catch(() => {}); // it may fail after its caller has given up
    this.ears.busy(true);
    this.write({ jsonrpc: "2.0", id, method, params });
    return { id, answer };
  }

  /** @param {object} message */
  write(message) {
    if (this.open && this.out.writable) this.out.write(JSON.stringify(message) + "\n");
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

  rest() {
    if (!this.busy) this.ears.busy(false);
  }

  /** Nothing more goes out, and whatever waits for an answer gets this error. @param {BridgeError} error */
  close(error) {
    this.open = false;
    for (const each of this.pending.values()) each.reject(error);
    this.pending.clear();
    for (const control of this.calls.values()) control.abort();
  }
}

/** A failure in a few words. @param {unknown} error */
export function sentence(error) {
  return (error instanceof Error ? error.message : String(error)).slice(0, 500);
}

/**
 * Hand over a stream's lines as bytes, since a character may lie across two chunks.
 * @param {import("node:stream").Readable} stream @param {(line: Buffer) => void} take @param {() => void} tooLong
 */
export function byLines(stream, take, tooLong) {
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
