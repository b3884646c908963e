// What makes the host drop us without a word, said once when the plugin is registered, with the cure.
// @ts-check
import { warnOnce } from "./bridge.mjs";

/** @typedef {import("./index.js").Deployment} Deployment */

const ID = "skillcaddy";
const TOOLS = ["skill_search", "skill_open"];

/** @param {Deployment} here */
export function reportObstacles({ api, mode, seam }) {
  const config = /** @type {any} */ (api.config ?? {});
  const found = mode === "auto" ? autoObstacles(config, seam.name) : toolObstacles(config);
  for (const text of found) warnOnce(api.logger, `skillcaddy: ${text}`);
}

/** @param {any} config @param {"hook" | "engine"} seam @returns {string[]} */
export function autoObstacles(config, seam) {
  if (seam === "hook") {
    const allowed = config.plugins?.entries?.[ID]?.hooks?.allowPromptInjection !== false;
    return allowed ? [] : [`mode is auto, but plugins.entries.${ID}.hooks.allowPromptInjection is false, so OpenClaw drops what skillcaddy finds. Remove it, or set mode to on_demand.`];
  }
  const slot = config.plugins?.slots?.contextEngine;
  if (slot === ID) return [];
  return [`mode is auto, but plugins.slots.contextEngine is ${slot === undefined ? "not set" : JSON.stringify(slot)}, so OpenClaw never asks skillcaddy. Set plugins.slots.contextEngine to "${ID}", or set mode to on_demand.`];
}

/** @param {any} config @returns {string[]} */
export function toolObstacles(config) {
  const agents = [
    ...(Array.isArray(config.agents?.list) ? config.agents.list.map((/** @type {any} */ agent) => [agent?.id, agent?.tools]) : []),
    ...Object.entries(config.agents?.entries ?? {}).map(([id, agent]) => [id, /** @type {any} */ (agent)?.tools]),
  ];
  const whole = hidden(config.tools, undefined, "tools");
  const own = agents.map(([id, tools]) => hidden(tools, config.tools, `agents (${id}): tools`));
  return [whole, ...own].filter((text) => text !== "");
}

/** Why these rules keep the tools from the agent, or "". @param {any} rules @param {any} outer @param {string} where */
function hidden(rules, outer, where) {
  if (rules === null || typeof rules !== "object") return "";
  const denied = TOOLS.filter((tool) => covers(rules.deny, tool));
  if (denied.length > 0) return `${where}.deny names ${denied.join(", ")}, so the agent is not offered them. Remove the entry.`;
  const added = (/** @type {string} */ tool) => covers(rules.alsoAllow, tool) || covers(rules.allow, tool) || covers(outer?.alsoAllow, tool);
  const missing = TOOLS.filter((tool) => !added(tool));
  if (missing.length === 0) return "";
  const profile = typeof rules.profile === "string" && rules.profile !== "full" ? rules.profile : undefined;
  if (profile !== undefined) {
    return `${where}.profile is "${profile}", which hides ${missing.join(", ")} from the agent without a word. Add "${ID}" to ${where}.alsoAllow.`;
  }
  if (Array.isArray(rules.allow) && rules.allow.length > 0) {
    return `${where}.allow does not name ${missing.join(", ")}, so the agent is not offered them. Add "${ID}" to ${where}.allow.`;
  }
  return "";
}

/** @param {unknown} entries @param {string} tool */
function covers(entries, tool) {
  if (!Array.isArray(entries)) return false;
  return entries.some((entry) => {
    const word = String(entry).trim().toLowerCase();
    if (word === "*" || word === tool || word === ID || word === "group:plugins") return true;
    return word.includes("*") && new RegExp(`^${word.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*")}$`).test(tool);
  });
}
