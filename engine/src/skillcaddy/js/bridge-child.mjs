// The engine's process: which program it is, and one running child from its start to its end.
// @ts-check
import { spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { BridgeError, PROTOCOL, Wire, byLines } from "./bridge-wire.mjs";

/** How long a child may take to answer its handshake. */
export const HANDSHAKE_MS = 30_000;

const HERE = dirname(fileURLToPath(import.meta.url));
const STDERR_LINES = 20;

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
/** @typedef {{ deadline_auto_s: number, deadline_tool_s: number, version: string, warnings: string[] }} Ready */

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

/** One running child. What is asked of it goes over its `wire`. */
export class Child {
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
    this.wire = new Wire(stdin, { say: ears.say, notice: ears.notice, busy: (busy) => this.worked(busy) });
    byLines(stdout, (line) => this.wire.receive(line), () => this.gone("the engine sent a line without an end.", true));
    byLines(stderr, (line) => this.complaint(line.toString("utf8")), () => {});
    this.hold(false);
    /** @type {Promise<Ready>} */
    this.ready = this.wire.send("initialize", { protocol: PROTOCOL, ...hello }, undefined).answer.then(
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

  /** @param {boolean} busy */
  worked(busy) {
    this.hold(busy);
    if (!busy && this.retiring) this.end();
  }

  retire() {
    this.retiring = true;
    if (!this.wire.busy) this.worked(false);
  }

  /** @param {string} cause @param {boolean} [kill] @param {boolean} [refused] */
  gone(cause, kill = false, refused = false) {
    if (!this.alive) return;
    this.alive = false;
    this.wire.close(new BridgeError(refused ? "refused" : "down", cause));
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
