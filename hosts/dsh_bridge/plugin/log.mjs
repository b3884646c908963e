// Where our words go. The host keeps what plugins log in a buffer that nothing prints, so a warning is written to
// stderr as well; stdout is the headless profile's answer.
// @ts-check

/** @typedef {import("@deepseek-ai/cordis").Context} Context */

/** @param {Context} ctx @returns {import("./bridge.mjs").Log} */
export function logOf(ctx) {
  return {
    debug: (text) => ctx.logger?.debug("%s", text),
    info: (text) => ctx.logger?.info("%s", text),
    warn: (text) => {
      ctx.logger?.warn("%s", text);
      process.stderr.write(`${text}\n`);
    },
  };
}
