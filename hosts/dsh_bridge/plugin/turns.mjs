// Auto mode: what a real user turn is given. The host's own event runs before every step and a throw in it ends the
// turn, so everything of ours is inside one try.
// @ts-check
import { randomUUID } from "node:crypto";
import { retrieve } from "./bridge.mjs";
import { history, isDelegated, surroundings, typed } from "./session.mjs";

/** @typedef {import("./index.mjs").Deployment} Deployment */
/** @typedef {Parameters<import("@deepseek-ai/cordis").Events["agent/pre-step"]>[0]} Payload */

/** @param {Deployment} here */
export function registerTurns(here) {
  here.ctx.on(
    "agent/pre-step",
    async (payload, next) => {
      const decision = await next();
      if (decision.kind !== "enter") return decision;
      const text = await textFor(here, payload, decision.messages);
      return text === "" ? decision : { ...decision, messages: [...decision.messages, message(text)] };
    },
    { prepend: true },
  );
}

/** What the step is given beside its own messages, or "". Never throws.
 * @param {Deployment} here @param {Payload} payload @param {readonly any[]} entering @returns {Promise<string>} */
async function textFor({ ctx, log, engine }, payload, entering) {
  try {
    const { agent, messages, signal } = payload;
    const prompt = typed(messages).join("\n\n"); // later steps of a turn come without a message
    if (prompt === "" || signal.aborted || isDelegated(agent)) return "";
    // The user has picked a skill by hand, and the host has put it in already.
    if (entering.some((each) => each?.source?.kind === "skill-invocation")) return "";
    const around = await surroundings(ctx, agent, signal);
    const text = await retrieve(engine, { prompt, history: history(agent), ...around }, { signal });
    if (!signal.aborted) return text;
    engine.tell("session.clear", { session: around.session }); // it does not reach the model
    return "";
  } catch (error) {
    log.warn(`skillcaddy: nothing was added to this turn: ${error instanceof Error ? error.message : String(error)}`);
    return "";
  }
}

/** A message as the host keeps them: frozen, with an id, and with the plugin as its source. @param {string} text @returns {any} */
function message(text) {
  return Object.freeze({
    role: "user",
    id: randomUUID(),
    content: Object.freeze([Object.freeze({ type: "text", text })]),
    source: Object.freeze({ kind: "plugin", plugin: "skillcaddy", form: "instructions" }),
  });
}

/** After a compaction the model no longer sees what it was given; pruning takes old tool results away.
 * @param {Deployment} here */
export function forgetWithTheTranscript({ ctx, mode, engine }) {
  const gone = new Set(mode === "auto" ? ["compaction/end"] : ["compaction/end", "compaction/prune"]);
  ctx.on("session/event", (session, event) => {
    if (gone.has(event.type)) engine.tell("session.clear", { session: session.id });
  });
}
