// What the shell reads off an agent, each piece optional: a caller without one is as good as any.
// @ts-check
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** @typedef {import("@deepseek-ai/cordis").Context} Context */
/** @typedef {import("@deepseek-ai/dsh-agent").Agent} Agent */

const HIDDEN_MS = 500;
const HISTORY_MESSAGES = 4;
const HISTORY_CHARS = 2_000;

/**
 * What every request tells the engine about the agent that it is for.
 * @param {Context} ctx @param {Agent | undefined} agent @param {AbortSignal} signal
 */
export async function surroundings(ctx, agent, signal) {
  const workspace = agent?.session?.header?.cwd ?? "";
  return {
    session: agent?.session?.id ?? "",
    workspace,
    roots: roots(workspace, process.env),
    hidden: await hidden(ctx, agent, workspace, signal),
    tools: visibleTools(ctx, agent),
  };
}

/** Names of the tools that this agent has now; null where that is not known. @param {Context} ctx @param {Agent | undefined} agent */
function visibleTools(ctx, agent) {
  if (agent === undefined) return null;
  try {
    const schemas = ctx.get("tools")?.schemas(agent);
    return schemas === undefined ? null : schemas.map((schema) => schema.name);
  } catch {
    return null;
  }
}

/** The folders that the host itself takes skills from, in its order; the engine leaves out what is absent.
 * @param {string} workspace @param {NodeJS.ProcessEnv} env @returns {string[]} */
export function roots(workspace, env) {
  const project = workspace === "" ? [] : [projectOf(workspace)];
  return [
    ...project.flatMap((folder) => [join(folder, ".dsh", "skills"), join(folder, ".agents", "skills")]),
    join(env.DSH_HOME || join(homedir(), ".dsh"), "skills"),
    join(env.DSH_AGENTS_HOME || join(homedir(), ".agents"), "skills"),
  ];
}

/** The nearest folder upwards with a .git, else the workspace itself, as the host has it. @param {string} workspace */
function projectOf(workspace) {
  for (let folder = workspace; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return workspace;
  }
}

/** Names of skills that their authors keep from the model, as the host's own registry has them.
 * @param {Context} ctx @param {Agent | undefined} agent @param {string} cwd @param {AbortSignal} signal @returns {Promise<string[]>} */
async function hidden(ctx, agent, cwd, signal) {
  try {
    const registry = ctx.get("skills");
    if (registry === undefined || cwd === "") return [];
    const limit = AbortSignal.any([signal, AbortSignal.timeout(HIDDEN_MS)]);
    const { skills } = await registry.snapshot({ cwd, signal: limit, ...(agent === undefined ? {} : { scope: agent }) });
    return skills.filter((skill) => skill.invocation?.modelInvocable === false).map((skill) => skill.name);
  } catch {
    return [];
  }
}

/** A sub-agent's task comes with the mark of a user's message, but nobody typed it. @param {Agent | undefined} agent */
export function isDelegated(agent) {
  const header = agent?.session?.header;
  return header?.origin === "subagent" || (header?.delegationDepth ?? 0) > 0;
}

/** The text of the messages that a person wrote. @param {readonly any[]} messages @returns {string[]} */
export function typed(messages) {
  return messages.filter((message) => message?.source?.kind === "user").map(textOf).filter((text) => text.trim() !== "");
}

/** The user's last few messages, oldest first. @param {Agent | undefined} agent @returns {string[]} */
export function history(agent) {
  try {
    return typed(agent?.session?.deriveMessages() ?? []).slice(-HISTORY_MESSAGES).map((text) => text.slice(0, HISTORY_CHARS));
  } catch {
    return [];
  }
}

/** @param {any} message @returns {string} */
function textOf(message) {
  const content = message?.content;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.filter((block) => block?.type === "text" && typeof block.text === "string").map((block) => block.text).join("\n");
}
