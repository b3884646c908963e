// A driver for several turns in one conversation, in place of the headless profile's own, which takes one task.
// Its `steps` are messages, or {"compact": true}. It ends the process with exit code 0 when all are done.
import { randomUUID } from "node:crypto";

export const name = "conversation";
export const inject = ["agentDefaultModel", "agents", "sessions", "compaction"];

export function apply(ctx, { steps }) {
  run(ctx, steps).then(
    () => ctx.get("appExit")(0),
    (error) => {
      process.stderr.write(`conversation: ${error.stack}\n`);
      ctx.get("appExit")(1);
    },
  );
}

async function run(ctx, steps) {
  await ctx.get("loader")?.await();
  const { provider, model } = ctx.agentDefaultModel.currentSelection();
  const { agent } = await ctx.agents.create({
    sessionId: `session-${randomUUID()}`,
    meta: { cwd: process.cwd() },
    agentOptions: { provider, model },
  });
  await agent.whenIdle();
  for (const step of steps) {
    if (step.compact) {
      const result = await ctx.compaction.compactNow(agent, new AbortController().signal);
      if (result === null) throw new Error("there was nothing to compact");
    } else {
      const content = Object.freeze([Object.freeze({ type: "text", text: step })]);
      agent.followup(Object.freeze({ role: "user", id: randomUUID(), content, source: Object.freeze({ kind: "user" }) }));
      await agent.whenIdle();
    }
  }
}
