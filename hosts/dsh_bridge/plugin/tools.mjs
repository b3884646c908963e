// On demand: the agent's own tools. Their names, texts and parameters are the engine's, rendered into guidance.json.
// @ts-check
import { callTool, warnOnce } from "./bridge.mjs";
import { surroundings } from "./session.mjs";

/** @typedef {import("./index.mjs").Deployment} Deployment */
/** @typedef {import("@deepseek-ai/cordis").Context} Context */
/** @typedef {import("@deepseek-ai/dsh-tools").ToolDefinition} ToolDefinition */

const PREFIX = "skillcaddy_";
// Beyond the longest deadline that a setting allows, a cold start included: we answer before the host cuts.
const HOST_MS = 155_000;
const OWN_MS = 150_000;

/** @param {Deployment} here */
export function registerTools(here) {
  here.ctx.inject(["tools"], (ctx) => {
    // What is thrown in here is lost without a word, and a name that is taken must not cost the other tool.
    for (const tool of here.words.tools) register(here, ctx, tool);
  });
}

/** @param {Deployment} here @param {Context} ctx @param {{ name: string, description: string, parameters: Record<string, unknown> }} tool */
function register(here, ctx, { name, description, parameters }) {
  const wanted = here.names === "prefixed" ? PREFIX + name : name;
  for (const offered of new Set([wanted, PREFIX + name])) {
    try {
      ctx.tools.register(definition(here, ctx, { name, offered, description, parameters }));
      return;
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      const then = offered === wanted && !wanted.startsWith(PREFIX) ? `it is offered as ${PREFIX}${name} instead` : "the agent goes without it";
      warnOnce(here.log, `skillcaddy: the tool ${offered} could not be registered (${cause}); ${then}.`);
    }
  }
}

/** @param {Deployment} here @param {Context} ctx
 * @param {{ name: string, offered: string, description: string, parameters: Record<string, any> }} tool @returns {ToolDefinition} */
function definition(here, ctx, { name, offered, description, parameters }) {
  return {
    name: offered,
    description,
    parameters,
    output: {
      schema: { type: "string" },
      render: (_args, value) => [{ type: "text", text: String(value) }],
    },
    timeoutMs: HOST_MS,
    isConcurrencySafe: () => true,
    async execute(args, exec) {
      const around = await surroundings(ctx, exec?.agent, exec.signal);
      return callTool(here.engine, here.words.texts, { name, arguments: args ?? {}, ...around }, { signal: exec.signal, capMs: OWN_MS });
    },
  };
}
