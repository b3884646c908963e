// The DeepSeek Harness shell against a stand-in of the host.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as plugin from "../plugin/index.mjs";
import { roots } from "../plugin/session.mjs";
import { anAgent, host, until, user } from "./double.mjs";

delete process.env.SKILLCADDY_MODE;
delete process.env.SKILLCADDY_PYTHON;
const beside = (name) => JSON.parse(readFileSync(new URL(`../plugin/${name}`, import.meta.url), "utf8"));

// requirement("dsh:no-module-inject")
test("the module waits for no service, so it cannot keep the host from booting (T11)", () => {
  assert.equal("inject" in plugin, false);
  assert.equal(plugin.name, "skillcaddy");
});

test("booting starts nothing and says nothing", (t) => {
  for (const mode of ["on_demand", "auto"]) {
    const each = host(t, { config: { mode } });
    each.boot();
    assert.deepEqual([each.lines(), each.said, each.seen.stderr], [[], [], []]);
  }
});

// requirement("dsh:mode-refused")
test("a mode that is none keeps the host from booting, and the message names it (T10)", (t) => {
  assert.throws(host(t, { config: { mode: "atuo" } }).boot, /mode is "atuo"; it must be "on_demand" or "auto"/);
  assert.throws(host(t, { config: { mode: null } }).boot, /mode is null/);
  assert.throws(host(t, { config: { moed: "auto" } }).boot, /there is no setting moed\. Did you mean mode\?/);
});

// requirement("dsh:stderr")
test("a mode in the environment that is none is said on stderr, where people see it (T10)", (t) => {
  t.after(() => delete process.env.SKILLCADDY_MODE);
  process.env.SKILLCADDY_MODE = "atuo";
  const { boot, seen } = host(t, { config: { mode: "auto" } });
  boot();
  assert.match(seen.stderr.join(""), /SKILLCADDY_MODE is "atuo".*Going on with auto\.\n/);
  assert.deepEqual([...seen.tools.keys()], []);
});

// requirement("dsh:standard-schema")
test("the config's checker answers at once and gives back what was written", () => {
  const { validate } = plugin.Config["~standard"];
  assert.deepEqual(validate(undefined), { value: {} });
  assert.deepEqual(validate(null), { value: {} });
  assert.deepEqual(validate({ mode: "auto", top_k: 3, deadline_auto_s: 2, skills_dirs: ["/a"], python: undefined }), {
    value: { mode: "auto", top_k: 3, deadline_auto_s: 2, skills_dirs: ["/a"] },
  });
  for (const given of ["auto", ["auto"], 3]) assert.equal(validate(given).issues.length, 1);
  for (const [key, bad] of [["top_k", "3"], ["top_k", true], ["top_k", 2.5], ["top_k", 0], ["deadline_auto_s", NaN], ["skills_dirs", [1]], ["gate", true]]) {
    assert.deepEqual(validate({ [key]: bad }).issues.map((issue) => issue.path), [[key]], `${key} ${bad}`);
  }
  assert.equal(validate({ constructor: 1, __proto__: null }).issues[0].path[0], "constructor");
});

test("a secret that is refused is not printed", () => {
  assert.doesNotMatch(plugin.Config["~standard"].validate({ model_api_key: 991177 }).issues[0].message, /991177/);
});

test("one mode offers tools, the other serves turns, never both (T28)", (t) => {
  const onDemand = host(t, { config: { mode: "on_demand" } });
  onDemand.boot();
  assert.deepEqual([...onDemand.seen.tools.keys()], ["skill_search", "skill_open"]);
  assert.equal(onDemand.seen.listeners.some((each) => each.event === "agent/pre-step"), false);
  const auto = host(t, { config: { mode: "auto" } });
  auto.boot();
  assert.deepEqual([...auto.seen.tools.keys()], []);
  assert.equal(auto.seen.listeners.filter((each) => each.event === "agent/pre-step").length, 1);
});

// requirement("dsh:tool-output")
test("the tools are the guidance's own, line by line, with the output the host insists on (T14)", async (t) => {
  const { boot, seen, call, asked } = host(t);
  boot();
  assert.deepEqual(seen.swallowed, []);
  beside("guidance.json").en.tools.forEach(({ name, description, parameters }) => {
    const tool = seen.tools.get(name);
    assert.equal(tool.description, description);
    assert.deepEqual(tool.parameters, parameters);
    assert.deepEqual(tool.output.schema, { type: "string" });
    assert.equal(tool.isConcurrencySafe(), true);
  });
  const [block] = await call("skill_search", { query: "deck" }, { agent: anAgent() });
  assert.equal(block.type, "text");
  assert.match(block.text, /^deck by \d+$/);
  const [{ params }] = asked("tool.call");
  assert.deepEqual([params.name, params.session, params.workspace, params.tools], ["skill_search", "session-1", "/somewhere/here", ["bash", "read"]]);
  assert.equal(seen.walked, 1, "T13: the list of tools is walked once");
  const [{ params: hello }] = asked("initialize");
  assert.deepEqual(hello.limits, { auto_default_s: 8 });
  assert.deepEqual([hello.mode, hello.retention, hello.model, hello.host.id], ["on_demand", "transcript", false, "dsh"]);
  assert.deepEqual(["python" in hello.settings, "tool_names" in hello.settings], [false, false], "the shell's own business");
});

// requirement("dsh:optional-agent")
test("a call without an agent is served like any other (T12)", async (t) => {
  const { boot, call, asked } = host(t);
  boot();
  const [{ text }] = await call("skill_open", { id: "local:x" }, { agent: undefined });
  assert.match(text, /by \d+$/);
  const [{ params }] = asked("tool.call");
  assert.deepEqual([params.session, params.workspace, params.tools], ["", "", null]);
});

// requirement("dsh:tool-throw")
test("a call never throws, whatever the engine does, and a stopped one stops", async (t) => {
  for (const manner of ["error", "dies", "dies-at-start", "slow", "refuses"]) {
    const { boot, call } = host(t, { manner });
    boot();
    const [{ text }] = await call("skill_search", { query: "x" });
    assert.match(text, /goes on without a skill/, manner);
  }
  const { boot, call } = host(t, { manner: "late" });
  boot();
  const control = new AbortController();
  const answer = call("skill_search", { query: "x", ms: 60_000 }, { signal: control.signal });
  control.abort();
  assert.match((await answer)[0].text, /goes on without a skill/);
});

test("an interpreter that is not there is one warning on stderr and an honest answer", async (t) => {
  const { boot, call, seen } = host(t, { config: { python: "/no/such/python" } });
  boot();
  const path = process.env.PATH;
  t.after(() => (process.env.PATH = path));
  process.env.PATH = "";
  for (let i = 0; i < 3; i += 1) assert.match((await call("skill_search", { query: "x" }))[0].text, /out of reach/);
  assert.equal(seen.stderr.filter((text) => text.includes("no Python with skillcaddy was found")).length, 1);
});

// requirement("dsh:name-clash")
test("a tool name that is taken is replaced by a longer one, and said", (t) => {
  const { boot, seen } = host(t, { taken: ["skill_search"] });
  boot();
  assert.deepEqual([...seen.tools.keys()], ["skill_search", "skillcaddy_skill_search", "skill_open"]);
  assert.deepEqual(seen.swallowed, []);
  assert.match(seen.stderr.join(""), /the tool skill_search could not be registered .*offered as skillcaddy_skill_search instead/);
  const prefixed = host(t, { config: { tool_names: "prefixed" }, taken: ["skillcaddy_skill_open"] });
  prefixed.boot();
  assert.deepEqual([...prefixed.seen.tools.keys()], ["skillcaddy_skill_open", "skillcaddy_skill_search"]);
  assert.match(prefixed.seen.stderr.join(""), /skillcaddy_skill_open could not be registered .*goes without it/);
});

// requirement("dsh:inject-inside")
test("a host without tools boots and goes without ours", (t) => {
  const { boot, seen, said } = host(t, { services: { tools: undefined } });
  boot();
  assert.deepEqual([[...seen.tools.keys()], said], [[], []]);
});

// requirement("dsh:apply-throw")
test("a plugin that cannot be set up is a warning, never a throw", (t) => {
  const { boot, ctx, seen } = host(t);
  ctx.effect = () => {
    throw new Error("no effects today");
  };
  boot();
  assert.match(seen.stderr.join(""), /could not be set up: .*no effects today/s);
});

// requirement("dsh:message-shape")
test("a real user turn gets one message more, appended, frozen, with a declared source", async (t) => {
  const { boot, step, asked, seen } = host(t, { config: { mode: "auto" } });
  boot();
  assert.deepEqual(seen.listeners.find((each) => each.event === "agent/pre-step").options, { prepend: true });
  const before = [user("too early"), ...["one", "two", "three"].map(user), user("earlier"), { role: "assistant", content: "yes", source: { kind: "model" } }, { ...user("a report"), source: { kind: "plugin", plugin: "x" } }];
  const decision = await step([user("first"), user("second")], { agent: anAgent({ messages: before }) });
  assert.equal(decision.kind, "enter");
  assert.equal(decision.messages.length, 3);
  const added = decision.messages[2];
  assert.match(added.content[0].text, /^first\n\nsecond by \d+$/);
  assert.deepEqual(added.source, { kind: "plugin", plugin: "skillcaddy", form: "instructions" });
  assert.equal(added.role, "user");
  assert.match(added.id, /^[0-9a-f-]{36}$/);
  assert.ok(Object.isFrozen(added) && Object.isFrozen(added.content) && Object.isFrozen(added.content[0]) && Object.isFrozen(added.source));
  const [{ params }] = asked("turn.retrieve");
  assert.deepEqual([params.prompt, params.history, params.tools, params.session], ["first\n\nsecond", ["one", "two", "three", "earlier"], ["bash", "read"], "session-1"]);
});

// requirement("dsh:user-batch")
test("only a batch with a person's message is searched for", async (t) => {
  const { boot, step, asked, seen } = host(t, { config: { mode: "auto" } });
  boot();
  await step([user("the only one that counts")]);
  const plugged = { ...user("a report"), source: { kind: "plugin", plugin: "goal" } };
  const stopped = AbortSignal.abort();
  const chosen = { ...user("body"), source: { kind: "skill-invocation", name: "x" } };
  for (const [messages, options] of [
    [[], {}],
    [[plugged], {}],
    [[user("  ")], {}],
    [[{ ...user(""), content: [{ type: "image" }] }], {}],
    [[user("x")], { signal: stopped }],
    [[user("x")], { agent: anAgent({ header: { origin: "subagent" } }) }],
    [[user("x")], { agent: anAgent({ header: { delegationDepth: 2 } }) }],
    [[user("/x")], { inner: (payload) => ({ kind: "enter", messages: [...payload.messages, chosen] }) }],
  ]) {
    const decision = await step(messages, options);
    assert.equal(decision.messages.some((each) => each.source.plugin === "skillcaddy"), false);
  }
  const rejected = { kind: "reject" };
  assert.equal(await step([user("x")], { inner: () => rejected }), rejected);
  await step([user("another")]);
  assert.equal(asked("turn.retrieve").length, 2);
  assert.deepEqual(asked("session.clear"), [], "what the one turn was given still counts");
  assert.deepEqual(seen.stderr.filter((text) => !text.includes("mode is odd")), []);
});

// requirement("dsh:pre-step-throw")
test("a turn goes on whatever the engine or the host's own services do", async (t) => {
  for (const manner of ["error", "dies", "dies-at-start", "slow", "refuses", "silent-answer", "endless"]) {
    const { boot, step } = host(t, { manner, config: { mode: "auto" } });
    boot();
    assert.equal((await step([user("x")])).messages.length, 1, manner);
  }
  const broken = {
    tools: { register() {}, schemas() { throw new Error("no tools"); } },
    skills: { snapshot: async () => { throw new Error("no skills"); } },
  };
  const { boot, step, asked } = host(t, { config: { mode: "auto" }, services: broken });
  boot();
  const agent = { session: { id: "s", header: { cwd: "/somewhere" }, deriveMessages() { throw new Error("no log"); } } };
  assert.equal((await step([user("x")], { agent })).messages.length, 2);
  const [{ params }] = asked("turn.retrieve");
  assert.deepEqual([params.tools, params.hidden, params.history], [null, [], []]);
  assert.equal((await step([user("x")], { agent: null })).messages.length, 2, "an agent that is no object");
});

test("a turn that was stopped meanwhile is given nothing, and nothing counts as given", async (t) => {
  const { boot, step, asked, lines } = host(t, { manner: "late", config: { mode: "auto" } });
  boot();
  const control = new AbortController();
  const decision = step([user("x")], { signal: control.signal });
  await until(() => asked("turn.retrieve").length > 0);
  control.abort();
  assert.equal((await decision).messages.length, 1);
  await until(() => asked("session.clear").length > 0);
  assert.deepEqual(lines().filter((line) => line.startsWith("start")).length, 1);
});

test("skills that their author keeps from the model are hidden, and the host's folders come in its order", async (t) => {
  const skills = { snapshot: async ({ cwd }) => ({ complete: true, skills: [{ name: `open-${cwd.length}`, invocation: { modelInvocable: true } }, { name: "secret", invocation: { modelInvocable: false } }] }) };
  const { boot, step, asked, folder } = host(t, { config: { mode: "auto" }, services: { skills } });
  boot();
  const project = join(folder, "project");
  mkdirSync(join(project, ".git"), { recursive: true });
  mkdirSync(join(project, "deep", "er"), { recursive: true });
  await step([user("x")], { agent: anAgent({ header: { cwd: join(project, "deep", "er") } }) });
  const [{ params }] = asked("turn.retrieve");
  assert.deepEqual(params.hidden, ["secret"]);
  assert.deepEqual(params.roots.slice(0, 2), [join(project, ".dsh", "skills"), join(project, ".agents", "skills")]);
  assert.deepEqual(roots("", { DSH_HOME: "/d", DSH_AGENTS_HOME: "/a" }), ["/d/skills", "/a/skills"]);
  assert.deepEqual(roots("/no/git/here", {}).slice(0, 1), ["/no/git/here/.dsh/skills"]);
});

test("a host whose registry of skills hangs costs the turn half a second, not the turn", async (t) => {
  const skills = { snapshot: ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))) };
  const { boot, step } = host(t, { config: { mode: "auto" }, services: { skills } });
  boot();
  const kept = setInterval(() => {}, 1000); // a real host has other work; timeouts alone do not keep Node alive
  t.after(() => clearInterval(kept));
  assert.equal((await step([user("x")])).messages.length, 2);
});

// requirement("dsh:compaction")
test("what leaves the transcript is forgotten", async (t) => {
  for (const [mode, expected] of [["auto", ["session-1"]], ["on_demand", ["session-1", "session-1"]]]) {
    const { boot, step, call, emit, asked } = host(t, { config: { mode } });
    boot();
    const work = () => (mode === "auto" ? step([user("x")]) : call("skill_search", { query: "x" }));
    emit("session/event", { id: "session-1" }, { type: "compaction/end" }); // no engine runs yet, and none is started
    await work();
    emit("session/event", { id: "session-1" }, { type: "compaction/end" });
    emit("session/event", { id: "session-1" }, { type: "compaction/prune" });
    emit("session/event", { id: "session-1" }, { type: "turn/start" });
    await work();
    assert.deepEqual(asked("session.clear").map((each) => each.params.session), expected, mode);
  }
});

// requirement("dsh:effect")
test("the end of the plugin is the end of the child", async (t) => {
  const { boot, call, seen, lines } = host(t);
  boot();
  await call("skill_search", { query: "x" });
  assert.equal(seen.disposers.length, 1);
  seen.disposers[0]();
  await until(() => lines().includes("end of input"));
});
