// skillcaddy for DeepSeek Harness: says to the host what there is, and to the engine what the host asks.
//
// The host boots nothing when a plugin's module waits for a service that nobody provides, or when `apply` throws. So
// there is no module-level `inject`, and whatever fails in `apply` is a line for the user.
// @ts-check
import { readFileSync } from "node:fs";
import { findEngine, guidance, modeOf, sharedEngine } from "./bridge.mjs";
import { Config } from "./config.mjs";
import { logOf } from "./log.mjs";
import { registerTools } from "./tools.mjs";
import { forgetWithTheTranscript, registerTurns } from "./turns.mjs";

/** @typedef {import("@deepseek-ai/cordis").Context} Context */

export { Config };
export const name = "skillcaddy";

const AUTO_DEFAULT_S = 8;
const FIX = "Set `python` in the config of the row `skillcaddy` to the Python that has skillcaddy (`pip install skillcaddy`).";
const { version: VERSION } = JSON.parse(readFileSync(new URL("./package.json", import.meta.url), "utf8"));

/** What every part of the shell needs to know.
 * @param {Context} ctx @param {Record<string, any>} config */
function deployment(ctx, { python, tool_names: names, ...settings }) {
  const log = logOf(ctx);
  const mode = modeOf(settings.mode, process.env, log);
  const engine = sharedEngine({
    find: () => findEngine({ configured: python, env: process.env, where: "python", fix: FIX }),
    log,
    hello: {
      host: { id: "dsh", version: "" }, // the host does not tell its plugins
      shell: VERSION,
      mode,
      settings,
      folder: process.cwd(),
      retention: "transcript", // what a step or a tool was given is part of the durable session
      limits: { auto_default_s: AUTO_DEFAULT_S },
      model: false, // no model of the host's is within a plugin's reach
    },
  });
  return { ctx, log, mode, engine, names: names ?? "plain", words: guidance(settings.language) };
}
/** @typedef {ReturnType<typeof deployment>} Deployment */

/** @param {Context} ctx @param {Record<string, any>} [config] */
export function apply(ctx, config) {
  try {
    const here = deployment(ctx, config ?? {});
    ctx.effect(() => () => here.engine.close());
    if (here.mode === "auto") registerTurns(here);
    else registerTools(here);
    forgetWithTheTranscript(here);
  } catch (error) {
    logOf(ctx).warn(`skillcaddy: could not be set up: ${error instanceof Error ? error.stack ?? error.message : String(error)}`);
  }
}
