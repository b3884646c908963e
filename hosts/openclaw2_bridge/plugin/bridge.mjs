// The half that the JavaScript shells share: one Python child per host process, JSON-RPC 2.0 by lines over its pipes.
//
// This is its face, all that a shell imports: what a turn and a tool call get, the mode, the texts. Behind it are
// bridge-engine.mjs (when a child runs, and for how long it is waited for), bridge-child.mjs (finding and running it)
// and bridge-wire.mjs (messages). The sources lie in the engine (skillcaddy/js); `nox -s manifests` copies them into
// each plugin. They depend on Node alone, start nothing when they are imported, and nothing in them may throw into a
// host's turn: `retrieve` gives text or "", `callTool` gives a sentence whatever happens.
// @ts-check
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findEngine } from "./bridge-child.mjs";
import { Engine, processWide, quietly, sharedEngine, warnOnce } from "./bridge-engine.mjs";
import { BridgeError, PROTOCOL, sentence } from "./bridge-wire.mjs";

export { BridgeError, Engine, PROTOCOL, findEngine, processWide, sharedEngine, warnOnce };

/** @typedef {import("./bridge-engine.mjs").Asked} Asked */
/** @typedef {import("./bridge-engine.mjs").Log} Log */
/** @typedef {import("./bridge-wire.mjs").Complete} Complete */

const HERE = dirname(fileURLToPath(import.meta.url));

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
