// The OpenClaw shell against a stand-in for the host's plugin API, as both generations offer it.
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { autoObstacles, toolObstacles } from "../plugin/checks.js";
import plugin from "../plugin/index.js";
import { isUserTurn, seamOf } from "../plugin/turns.js";

delete process.env.SKILLCADDY_MODE;
const CHILD = new URL("../../../engine/tests/js/child.mjs", import.meta.url).pathname;
const SLOT = { plugins: { slots: { contextEngine: "skillcaddy" } } };
let made = 0;

/** A host that notes what is registered; its "Python" is a script that starts the test child. */
function host(t, { version = "2026.8.1", config = {}, settings = {}, manner = "good", ...more } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "shell-"));
  const diary = join(folder, "diary");
  const python = join(folder, "python");
  writeFileSync(diary, "");
  writeFileSync(python, `#!/bin/sh\nexec "${process.execPath}" "${CHILD}" ${manner} "${diary}"\n`);
  chmodSync(python, 0o755);
  const found = { tools: {}, engines: {}, hooks: {}, hookOptions: {}, services: [], lifecycles: [], said: [] };
  const log = (level) => (text) => found.said.push(`${level}: ${text}`);
  const api = {
    id: "skillcaddy",
    config,
    // A number of its own gives each test a child of its own.
    pluginConfig: { python, top_k: 1 + (made += 1), ...settings },
    runtime: { version, state: { resolveStateDir: () => "/home/state" } },
    logger: { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") },
    registerTool: (factory, { name }) => (found.tools[name] = factory),
    registerContextEngine: (id, factory) => (found.engines[id] = factory),
    registerService: (service) => found.services.push(service),
    lifecycle: { registerRuntimeLifecycle: (each) => found.lifecycles.push(each) },
    on: (name, handler, options) => {
      found.hooks[name] = handler;
      found.hookOptions[name] = options;
    },
    ...more,
  };
  const register = () => plugin.register(api);
  t.after(() => found.services.forEach((service) => service.stop()));
  const lines = () => readFileSync(diary, "utf8").split("\n").filter(Boolean);
  const asked = (method) => lines().filter((line) => line.startsWith("{")).map((line) => JSON.parse(line)).filter((each) => each.method === method);
  return { api, found, register, lines, asked, warnings: () => found.said.filter((text) => /^(warn|error)/.test(text)) };
}

const assemble = (found, params) =>
  found.engines.skillcaddy({ workspaceDir: "/work" }).assemble({ sessionId: "s1", sessionKey: "agent:main:main", messages: [], prompt: "hello", ...params });

test("registering thrice starts nothing and throws nothing", (t) => {
  for (const version of ["2026.7.1", "2026.8.1"]) {
    const each = host(t, { version, settings: { mode: "auto" }, config: SLOT });
    assert.equal(each.register(), undefined, "the host does not wait for a promise");
    each.register();
    each.register();
    assert.deepEqual(each.lines(), []);
    assert.deepEqual(each.warnings(), []);
  }
});

test("the seam follows the host's version", () => {
  const api = { registerContextEngine() {} };
  for (const version of ["2026.5.2", "2026.7.1", "2026.7.35", "2026.7.2-beta.3", "2025.12.1"]) assert.equal(seamOf(version, api).name, "hook", version);
  for (const version of ["2026.8.1", "2026.8.0-beta.1", "2026.9.6", "2026.10.1", "2027.1.1", "", "dev"]) assert.equal(seamOf(version, api).name, "engine", version);
  assert.equal(seamOf("2026.9.6", {}).name, "hook", "a host without context engines");
});

test("one turn is never served by two seams (T28)", (t) => {
  for (const [version, mode, hooks, engines, tools] of [
    ["2026.7.1", "auto", true, 0, 0],
    ["2026.8.1", "auto", false, 1, 0],
    ["2026.9.6", "auto", false, 1, 0],
    ["2026.7.1", "on_demand", false, 0, 2],
    ["2026.9.6", "on_demand", false, 0, 2],
  ]) {
    const { found, register } = host(t, { version, settings: { mode } });
    register();
    const seen = ["before_prompt_build" in found.hooks, Object.keys(found.engines).length, Object.keys(found.tools).length];
    assert.deepEqual(seen, [hooks, engines, tools], `${version} ${mode}`);
  }
});

test("1.x gets the text in front of the user's message, with the host's own time limit", async (t) => {
  const { found, register, asked } = host(t, { version: "2026.7.1", settings: { mode: "auto" } });
  register();
  const context = { sessionId: "s1", sessionKey: "agent:main:main", workspaceDir: "/work", trigger: "user" };
  const messages = [{ role: "user", content: "before" }, { role: "assistant", content: [{ type: "text", text: "yes" }] }];
  const result = await found.hooks.before_prompt_build({ prompt: "hello", messages }, context);
  assert.match(result.prependContext, /^hello by \d+$/);
  assert.deepEqual(Object.keys(result), ["prependContext"]);
  assert.deepEqual(found.hookOptions.before_prompt_build, { timeoutMs: 15_000 });
  const [{ params: hello }] = asked("initialize");
  assert.deepEqual(hello.limits, { auto_default_s: 12, auto_cap_s: 12 });
  assert.equal(hello.mode, "auto");
  assert.equal(hello.retention, "turn");
  assert.equal("python" in hello.settings, false, "the interpreter is the shell's own business");
  const [{ params }] = asked("turn.retrieve");
  assert.deepEqual(params.history, ["before"]);
  assert.equal(params.tools, null);
  assert.equal(params.session, "s1");
  assert.equal(params.workspace, "/work");
  assert.deepEqual(params.roots.slice(0, 2), ["/work/skills", "/work/.agents/skills"]);
  assert.equal(params.roots.at(-1), "/home/state/skills");
});

test("a longer deadline on 1.x asks the host for the time it needs (T17)", (t) => {
  const { found, register } = host(t, { version: "2026.7.1", settings: { mode: "auto", deadline_auto_s: 40 } });
  register();
  assert.deepEqual(found.hookOptions.before_prompt_build, { timeoutMs: 43_000 });
});

test("2.0 gets the text in the system prompt and its own messages back untouched", async (t) => {
  const { found, register, asked, warnings } = host(t, { settings: { mode: "auto" }, config: SLOT });
  register();
  const messages = [{ role: "user", content: "x".repeat(400) }];
  const result = await assemble(found, { messages, availableTools: new Set(["exec", "read"]) });
  assert.match(result.systemPromptAddition, /^hello by/);
  assert.equal(result.messages, messages);
  assert.ok(result.estimatedTokens >= 100);
  const [{ params }] = asked("turn.retrieve");
  assert.deepEqual(params.tools, ["exec", "read"]);
  assert.equal(params.workspace, "/work");
  assert.deepEqual(asked("initialize")[0].params.limits, { auto_default_s: 8 });
  assert.deepEqual(warnings(), ["warn: skillcaddy: mode is odd"].filter((text) => warnings().includes(text)));
});

test("the engine declares what keeps it from being degraded and owns nothing (T03, T04, T07)", async (t) => {
  const { found, register } = host(t, { settings: { mode: "auto" }, config: SLOT });
  register();
  const engine = found.engines.skillcaddy({});
  assert.deepEqual(engine.info, {
    id: "skillcaddy",
    name: "skillcaddy",
    ownsCompaction: false,
    transcriptSemantics: { currentTurnFence: "before-current-turn-entry-v1", turnAdvancementIdempotency: "atomic-idempotent-v1" },
  });
  assert.deepEqual(await engine.commitTurn({ advancementKey: "k" }), { status: "committed" });
  assert.deepEqual(await engine.ingest({}), { ingested: false });
  assert.equal(typeof engine.compact, "function");
});

test("only a person's message is searched for", async (t) => {
  const { found, register, asked } = host(t, { settings: { mode: "auto" }, config: SLOT });
  register();
  const nothing = { messages: [], estimatedTokens: 0 };
  assert.deepEqual(await assemble(found, { prompt: undefined }), nothing, "a call in the tool loop");
  assert.deepEqual(await assemble(found, { prompt: " " }), nothing);
  assert.deepEqual(await assemble(found, { sessionKey: "agent:main:subagent:7" }), nothing);
  assert.deepEqual(asked("turn.retrieve"), []);
  assert.equal(isUserTurn("x", "agent:main:cron:daily:run:1"), false);
  assert.equal(isUserTurn("x", "agent:main:main", "heartbeat"), false);
  assert.equal(isUserTurn("x", "agent:main:telegram:direct:cron:5"), true);
  assert.equal(isUserTurn("x", undefined), true);
});

test("a turn goes on when the engine dies, hangs or is nowhere", async (t) => {
  for (const [manner, settings] of [["dies", {}], ["slow", {}], ["dies-at-start", {}], ["error", {}], ["good", { python: "/no/such/python" }]]) {
    const { found, register } = host(t, { settings: { mode: "auto", ...settings }, config: SLOT, manner });
    register();
    assert.deepEqual(await assemble(found, {}), { messages: [], estimatedTokens: 0 }, manner);
  }
});

test("on demand offers both tools with whole descriptions and plain schemas", async (t) => {
  const { found, register, asked } = host(t, {});
  register();
  const context = { sessionId: "s2", workspaceDir: "/work" };
  const tools = Object.values(found.tools).map((factory) => factory(context));
  const manifest = JSON.parse(readFileSync(new URL("../plugin/openclaw.plugin.json", import.meta.url), "utf8"));
  assert.deepEqual(tools.map((each) => each.name), manifest.contracts.tools, "T05: the host drops a tool that is not listed");
  const guidance = JSON.parse(readFileSync(new URL("../plugin/guidance.json", import.meta.url), "utf8"));
  tools.forEach((each, index) => {
    assert.equal(each.description, guidance.en.tools[index].description);
    assert.deepEqual(each.parameters, guidance.en.tools[index].parameters);
    assert.equal(each.catalogMode, "direct-only");
  });
  const answer = await tools[0].execute("call", { query: "deck" });
  assert.match(answer.content[0].text, /^deck by/);
  const [{ params }] = asked("tool.call");
  assert.deepEqual([params.name, params.session, params.workspace, params.arguments], ["skill_search", "s2", "/work", { query: "deck" }]);
  assert.equal(asked("initialize")[0].params.retention, "transcript");
});

test("a tool's context may be missing, and its answer is text whatever happens (T12)", async (t) => {
  const { found, register } = host(t, { manner: "error" });
  register();
  const answer = await found.tools.skill_open(undefined).execute("call", undefined);
  assert.match(answer.content[0].text, /could not be searched this time/);
});

test("the language of the texts is the configured one", (t) => {
  const { found, register } = host(t, { settings: { language: "zh" } });
  register();
  assert.match(found.tools.skill_search({}).description, /技能/);
});

test("a slot that names us in on_demand mode gets an engine that passes through", async (t) => {
  const { found, register, asked } = host(t, { config: SLOT });
  register();
  assert.deepEqual(await assemble(found, {}), { messages: [], estimatedTokens: 0 });
  assert.deepEqual(asked("turn.retrieve"), []);
  assert.deepEqual(Object.keys(found.tools), ["skill_search", "skill_open"]);
});

test("after a compaction the engine is told that the conversation holds nothing any more", async (t) => {
  const { found, register, asked } = host(t, {});
  register();
  await found.tools.skill_search({ sessionId: "s1" }).execute("call", { query: "x" });
  found.hooks.after_compaction({ previousSessionId: "s0" }, { sessionId: "s1", sessionKey: "k" });
  await found.tools.skill_search({ sessionId: "s1" }).execute("call", { query: "y" });
  assert.deepEqual(asked("session.clear").map((each) => each.params.session), ["s1", "s0", "k"]);
});

test("a reload keeps the child, the end of the host ends it", async (t) => {
  const { found, register, lines } = host(t, {});
  register();
  const call = () => found.tools.skill_search({}).execute("call", { query: "x" });
  const first = (await call()).content[0].text;
  await found.lifecycles[0].cleanup({ reason: "restart" });
  assert.equal((await call()).content[0].text, first);
  await found.lifecycles[0].cleanup({ reason: "disable" });
  assert.notEqual((await call()).content[0].text, first);
  assert.equal(lines().filter((line) => line.startsWith("start")).length, 2);
});

test("the host's own model answers the engine", async (t) => {
  const calls = [];
  const complete = async (params) => (calls.push(params), { text: "a query", provider: "acme", model: "large", usage: { inputTokens: 9 } });
  const { found, register, asked } = host(t, {
    settings: { mode: "auto" },
    config: SLOT,
    manner: "model",
    runtime: { version: "2026.8.1", state: { resolveStateDir: () => "/s" }, llm: { complete } },
  });
  register();
  assert.equal((await assemble(found, { prompt: "deck" })).systemPromptAddition, "a query");
  assert.deepEqual(calls[0].messages, [{ role: "user", content: "deck" }]);
  assert.equal(calls[0].maxTokens, 5);
  assert.equal("model" in calls[0], false, "the agent's own model, so that no grant is needed");
  assert.equal(asked("initialize")[0].params.model, true);
});

test("a host that offers less than expected loses that and nothing else (T11)", (t) => {
  for (const missing of ["registerService", "lifecycle", "registerContextEngine", "on", "config"]) {
    const { found, register, warnings } = host(t, { [missing]: undefined });
    register();
    assert.deepEqual(Object.keys(found.tools), ["skill_search", "skill_open"], missing);
    assert.deepEqual(warnings(), [], missing);
  }
});

test("a registration that fails is a line in the log, never an exception", (t) => {
  const { register, found } = host(t, { registerTool() { throw new Error("no more tools"); } });
  register();
  assert.match(found.said.at(-1), /^error: skillcaddy: could not be set up: .*no more tools/);
});

test("auto mode that the host would drop in silence is reported with its cure (T02)", (t) => {
  assert.deepEqual(autoObstacles(SLOT, "engine"), []);
  assert.match(autoObstacles({}, "engine")[0], /contextEngine is not set.*Set plugins\.slots\.contextEngine to "skillcaddy"/);
  assert.match(autoObstacles({ plugins: { slots: { contextEngine: "legacy" } } }, "engine")[0], /is "legacy"/);
  assert.deepEqual(autoObstacles({}, "hook"), []);
  const blocked = { plugins: { entries: { skillcaddy: { hooks: { allowPromptInjection: false } } } } };
  assert.match(autoObstacles(blocked, "hook")[0], /allowPromptInjection is false/);
  const config = { plugins: { slots: { contextEngine: "another-one" } } };
  const { register, warnings } = host(t, { settings: { mode: "auto" }, config });
  register();
  register();
  assert.equal(warnings().filter((text) => text.includes('is "another-one"')).length, 1);
});

test("tool rules that hide the tools are reported with their cure", () => {
  const cure = /alsoAllow|allow|Remove/;
  for (const [tools, expected] of [
    [{}, undefined],
    [{ profile: "full" }, undefined],
    [{ profile: "coding" }, /tools\.profile is "coding".*skill_search, skill_open.*Add "skillcaddy" to tools\.alsoAllow/],
    [{ profile: "minimal", alsoAllow: ["skill_search"] }, /hides skill_open/],
    [{ profile: "coding", alsoAllow: ["skill_search", "skill_open"] }, undefined],
    [{ profile: "coding", alsoAllow: ["group:plugins"] }, undefined],
    [{ profile: "coding", alsoAllow: ["Skillcaddy"] }, undefined],
    [{ profile: "coding", alsoAllow: ["skill_*"] }, undefined],
    [{ allow: ["read"] }, /tools\.allow does not name skill_search, skill_open/],
    [{ allow: ["*"] }, undefined],
    [{ allow: [] }, undefined],
    [{ deny: ["skill_open"] }, /tools\.deny names skill_open/],
    [{ deny: ["group:plugins"], alsoAllow: ["skillcaddy"] }, /tools\.deny names skill_search, skill_open/],
  ]) {
    const found = toolObstacles({ tools });
    if (expected === undefined) assert.deepEqual(found, [], JSON.stringify(tools));
    else {
      assert.match(found[0], expected);
      assert.match(found[0], cure);
    }
  }
  const agents = { list: [{ id: "coder", tools: { profile: "coding" } }, { id: "chat" }] };
  assert.match(toolObstacles({ agents })[0], /agents \(coder\): tools\.profile is "coding"/);
  assert.deepEqual(toolObstacles({ agents, tools: { alsoAllow: ["skillcaddy"] } }), []);
  assert.deepEqual(toolObstacles({ tools: null, agents: { entries: { a: null } } }), []);
});
