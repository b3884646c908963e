// On demand: the agent's own tools. Their names, texts and parameters are the engine's, rendered into guidance.json.
// @ts-check
import { callTool } from "./bridge.mjs";

/** @typedef {import("./index.js").Deployment} Deployment */

/** @param {Deployment} here */
export function registerTools({ api, engine, complete, roots, hidden, words }) {
  for (const { name, description, parameters } of words.tools) {
    api.registerTool(
      (context) => ({
        name,
        label: name === "skill_search" ? "Skill search" : "Skill open",
        description,
        parameters: /** @type {any} */ (parameters), // plain JSON Schema, which the host takes as it is
        // Newer hosts would else show one cut line of the description in a tool directory.
        catalogMode: /** @type {const} */ ("direct-only"),
        async execute(_callId, argumentsGiven, signal) {
          const text = await callTool(
            engine,
            words.texts,
            {
              name,
              arguments: argumentsGiven ?? {},
              session: context?.sessionId ?? context?.sessionKey ?? "",
              workspace: context?.workspaceDir ?? "",
              roots: roots(context?.workspaceDir),
              hidden,
              tools: null, // the host does not tell a tool which others there are
            },
            { signal, complete },
          );
          return { content: [{ type: /** @type {const} */ ("text"), text }], details: {} };
        },
      }),
      { name },
    );
  }
}
