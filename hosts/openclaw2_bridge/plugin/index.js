// skillcaddy for OpenClaw, 1.x and 2.0: says to the host what there is, and to the engine what the host asks.
//
// `register` runs two or three times in a process, on newest hosts in a fresh copy of this module each time, so it
// starts nothing and keeps nothing: the one Python child lives on globalThis (see bridge-engine.mjs).
// @ts-check
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { guidance, modeOf, sharedEngine, findEngine } from "./bridge.mjs";
import { reportObstacles } from "./checks.js";
import { registerTools } from "./tools.js";
import { registerTurns, seamOf } from "./turns.js";

/** @typedef {import("openclaw/plugin-sdk/core").OpenClawPluginApi} Api */

export const ID = "skillcaddy";
const FIX = "Set plugins.entries.skillcaddy.config.python to the Python that has skillcaddy (`pip install skillcaddy`).";
const { version: VERSION } = JSON.parse(readFileSync(new URL("./package.json", import.meta.url), "utf8"));

/** What every part of the shell needs to know about this registration.
 * @param {Api} api */
function deployment(api) {
  const { python, ...settings } = api.pluginConfig ?? {};
  const hostVersion = api.runtime?.version ?? "";
  const mode = modeOf(settings.mode, process.env, api.logger);
  const seam = seamOf(hostVersion, api);
  const limits = seam.limits(settings.deadline_auto_s);
  const complete = completion(api);
  const engine = sharedEngine({
    find: () => findEngine({ configured: python, env: process.env, where: "plugins.entries.skillcaddy.config.python", fix: FIX }),
    log: api.logger,
    hello: {
      host: { id: "openclaw", version: hostVersion },
      shell: VERSION,
      mode,
      settings,
      folder: stateDirOf(api),
      // Neither seam's text is kept in the conversation (seen on 2026.7.1, 2026.8.1 and 2026.9.6); a tool's answer is.
      retention: mode === "auto" ? "turn" : "transcript",
      limits: limits.hello,
      model: complete !== undefined,
    },
  });
  return { api, engine, mode, seam, limits, complete, roots: rootsOf(api), hidden: hiddenSkills(api), words: guidance(settings.language) };
}
/** @typedef {ReturnType<typeof deployment>} Deployment */

/** The host's own model, with the host's own credentials, as the engine calls it.
 * @param {Api} api @returns {import("./bridge.mjs").Complete | undefined} */
function completion(api) {
  const llm = api.runtime?.llm;
  if (typeof llm?.complete !== "function") return undefined;
  return async ({ messages, maxTokens, purpose, signal }) => {
    const system = messages.filter((each) => each.role === "system").map((each) => each.content);
    const rest = messages.filter((each) => each.role !== "system");
    const reply = await llm.complete({
      messages: rest.map(({ role, content }) => ({ role: role === "assistant" ? "assistant" : "user", content })),
      ...(system.length > 0 ? { systemPrompt: system.join("\n\n") } : {}),
      purpose,
      maxTokens,
      signal,
    });
    return {
      text: reply.text,
      model: `${reply.provider}/${reply.model}`,
      ...(reply.usage?.inputTokens === undefined ? {} : { tokensIn: reply.usage.inputTokens }),
      ...(reply.usage?.outputTokens === undefined ? {} : { tokensOut: reply.usage.outputTokens }),
    };
  };
}

/** The host's own folder, "" where it does not say. @param {Api} api @returns {string} */
function stateDirOf(api) {
  try {
    return api.runtime.state.resolveStateDir();
  } catch {
    return "";
  }
}

/** The folders that OpenClaw itself takes skills from, highest precedence first; the engine leaves out what is absent.
 * @param {Api} api @returns {(workspace: string | undefined) => string[]} */
function rootsOf(api) {
  const state = stateDirOf(api);
  const extra = /** @type {unknown} */ (api.config?.skills?.load?.extraDirs);
  return (workspace) => [
    ...(workspace ? [`${workspace}/skills`, `${workspace}/.agents/skills`] : []),
    `${homedir()}/.agents/skills`,
    ...(state ? [`${state}/skills`] : []),
    ...(Array.isArray(extra) ? extra.filter((each) => typeof each === "string") : []),
  ];
}

/** Names of skills that the user has switched off in OpenClaw. @param {Api} api @returns {string[]} */
function hiddenSkills(api) {
  const entries = Object.entries(api.config?.skills?.entries ?? {});
  return entries.filter(([, entry]) => entry?.enabled === false).map(([name]) => name);
}

/** @param {Api} api */
function register(api) {
  try {
    const here = deployment(api);
    if (here.mode === "on_demand") registerTools(here);
    registerTurns(here);
    registerEnd(here);
    reportObstacles(here);
  } catch (error) {
    // A plugin that throws here can take the host's other plugins with it.
    api.logger?.error?.(`skillcaddy: could not be set up: ${error instanceof Error ? error.stack ?? error.message : String(error)}`);
  }
}

/** End the child when the host stops for good; a reload ("restart") keeps it, and without any word end of input ends it.
 * @param {Deployment} here */
function registerEnd({ api, engine }) {
  api.registerService?.({ id: `${ID}-engine`, start: () => {}, stop: () => engine.close() });
  api.lifecycle?.registerRuntimeLifecycle?.({
    id: `${ID}-engine`,
    description: "Ends the skillcaddy engine's process.",
    cleanup: ({ reason }) => {
      if (reason === "disable" || reason === "delete") engine.close();
    },
  });
}

export default {
  id: ID,
  name: "skillcaddy",
  description: "Hands the agent the one skill it needs, out of a library of any size.",
  register,
};
