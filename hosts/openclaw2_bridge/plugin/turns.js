// Auto mode: what a real user turn is given, through the one seam that this generation of the host honours.
// @ts-check
import { retrieve } from "./bridge.mjs";

/** @typedef {import("./index.js").Deployment} Deployment */
/** @typedef {import("openclaw/plugin-sdk/core").OpenClawPluginApi} Api */
/** @typedef {Parameters<Parameters<Api["registerContextEngine"]>[1]>[0]} FactoryContext */
/** @typedef {Awaited<ReturnType<Parameters<Api["registerContextEngine"]>[1]>>} HostEngine */
/** @typedef {HostEngine & { commitTurn: () => Promise<{ status: "committed" }> }} ContextEngine */

const ID = "skillcaddy";
const HOST_HOOK_MS = 15_000;
const HOOK_DEFAULT_S = 12;
const ENGINE_DEFAULT_S = 8;
const HOOK_SLACK_MS = 3_000;
const HISTORY_MESSAGES = 4;
const HISTORY_CHARS = 2_000;

/** Without both semantics a 2.0 host warns and leaves the engine out of every turn; 1.x does not know them. */
const ENGINE_INFO = {
  id: ID,
  name: "skillcaddy",
  ownsCompaction: false,
  transcriptSemantics: {
    currentTurnFence: /** @type {const} */ ("before-current-turn-entry-v1"),
    turnAdvancementIdempotency: /** @type {const} */ ("atomic-idempotent-v1"),
  },
};

/**
 * The seam for a host of this version: the context engine from 2026.8 on, the prompt hook before (later hosts run that
 * hook only with a grant, and 2026.8 not at all in `agent --local`).
 * @param {string} version @param {Partial<Api>} api
 */
export function seamOf(version, api) {
  const [, year = NaN, month = NaN] = (/^(\d{4})\.(\d+)/.exec(version) ?? []).map(Number);
  const isFirst = year < 2026 || (year === 2026 && month < 8);
  const name = isFirst || typeof api.registerContextEngine !== "function" ? "hook" : "engine";
  return { name: /** @type {"hook" | "engine"} */ (name), limits: name === "hook" ? hookLimits : engineLimits };
}

/** @typedef {{ hello: { auto_default_s: number, auto_cap_s?: number }, hookMs?: number, capMs?: number }} Limits */

/** OpenClaw 2.0 waits for its context engine as long as that takes. @returns {Limits} */
function engineLimits() {
  return { hello: { auto_default_s: ENGINE_DEFAULT_S } };
}

/** The host cuts this hook at 15 s; one that asks for more time in good time gets it.
 * @param {unknown} configured seconds @returns {Limits} */
function hookLimits(configured) {
  const wanted = typeof configured === "number" ? configured : HOOK_DEFAULT_S;
  const hookMs = Math.max(HOST_HOOK_MS, wanted * 1000 + HOOK_SLACK_MS);
  return { hello: { auto_default_s: HOOK_DEFAULT_S, auto_cap_s: (hookMs - HOOK_SLACK_MS) / 1000 }, hookMs, capMs: hookMs - HOOK_SLACK_MS / 3 };
}

/** @param {Deployment} here */
export function registerTurns(here) {
  const { api, engine, mode, seam } = here;
  const slot = api.config?.plugins?.slots?.contextEngine;
  if (mode === "auto" && seam.name === "hook") {
    registerHook(here);
  }
  // A slot that names us while nothing is registered costs a warning in every turn, so then the engine passes through.
  if ((mode === "auto" && seam.name === "engine") || slot === ID) {
    api.registerContextEngine?.(ID, (context) => contextEngine(here, context));
  }
  if (engine.hello.retention === "transcript") {
    // After a compaction the model no longer sees what it was given before.
    api.on?.("after_compaction", (event, context) => {
      for (const session of new Set([context?.sessionId, event?.previousSessionId, context?.sessionKey])) {
        if (session) engine.tell("session.clear", { session });
      }
    });
  }
}

/** @param {Deployment} here */
function registerHook({ api, engine, limits, complete, roots, hidden }) {
  api.on(
    "before_prompt_build",
    async (event, context) => {
      const { sessionId, sessionKey, workspaceDir, trigger } = context ?? {};
      if (!isUserTurn(event?.prompt, sessionKey, trigger)) return undefined;
      const text = await retrieve(
        engine,
        {
          prompt: event.prompt,
          history: history(event.messages),
          session: sessionId ?? sessionKey ?? "",
          workspace: workspaceDir ?? "",
          roots: roots(workspaceDir),
          hidden,
          tools: null, // 1.x does not say which tools the agent has
        },
        { complete, capMs: limits.capMs },
      );
      return text ? { prependContext: text } : undefined;
    },
    { timeoutMs: limits.hookMs ?? HOST_HOOK_MS },
  );
}

/** One turn's context engine: it adds to the system prompt and owns nothing, neither the transcript nor its compaction.
 * @param {Deployment} here @param {FactoryContext} factoryContext @returns {ContextEngine} */
function contextEngine({ mode, seam, engine, complete, roots, hidden }, factoryContext) {
  const delivers = mode === "auto" && seam.name === "engine";
  const workspace = factoryContext?.workspaceDir;
  return {
    info: ENGINE_INFO,
    ingest: async () => ({ ingested: false }),
    // Nothing is kept here, so there is nothing to do; anything else would hold up the next turns.
    commitTurn: async () => ({ status: "committed" }),
    async assemble({ messages, prompt, sessionId, sessionKey, availableTools }) {
      // Without a prompt it is a call within the tool loop, whose turn was served already.
      const text =
        delivers && isUserTurn(prompt, sessionKey)
          ? await retrieve(
              engine,
              {
                prompt,
                history: history(messages),
                session: sessionId ?? sessionKey ?? "",
                workspace: workspace ?? "",
                roots: roots(workspace),
                hidden,
                tools: availableTools ? [...availableTools] : null,
              },
              { complete },
            )
          : "";
      const estimatedTokens = estimate(messages) + Math.ceil(text.length / 4);
      return text ? { messages, estimatedTokens, systemPromptAddition: text } : { messages, estimatedTokens };
    },
    async compact(params) {
      const { delegateCompactionToRuntime } = await import("openclaw/plugin-sdk/core");
      return delegateCompactionToRuntime(params);
    },
  };
}

/** A person's message: no heartbeat, schedule or sub-agent. @param {unknown} prompt @param {string | undefined} sessionKey
 * @param {string} [trigger] @returns {prompt is string} */
export function isUserTurn(prompt, sessionKey, trigger = "user") {
  if (typeof prompt !== "string" || prompt.trim() === "" || trigger !== "user") return false;
  return !/^(agent:[^:]+:)?(subagent|cron):/i.test(sessionKey ?? "");
}

/** The user's last few messages before this one, oldest first. @param {unknown} messages @returns {string[]} */
function history(messages) {
  if (!Array.isArray(messages)) return [];
  const asked = messages.filter((message) => message?.role === "user").slice(-HISTORY_MESSAGES);
  return asked.map((message) => texts(message).join("\n").slice(0, HISTORY_CHARS));
}

/** @param {any} message @returns {string[]} */
function texts(message) {
  const content = message?.content;
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) return [];
  return content.map((block) => block?.text).filter((text) => typeof text === "string");
}

/** Tokens of a conversation, at four characters each. @param {unknown} messages */
function estimate(messages) {
  if (!Array.isArray(messages)) return 0;
  return Math.ceil(messages.flatMap(texts).reduce((sum, text) => sum + text.length, 0) / 4);
}
