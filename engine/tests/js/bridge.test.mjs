// The shells' shared half, against children that behave well and badly.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { BridgeError, Engine, callTool, findEngine, modeOf, processWide, retrieve, sharedEngine } from "../../src/skillcaddy/js/bridge.mjs";

const CHILD = new URL("child.mjs", import.meta.url).pathname;
const BRIDGE = new URL("../../src/skillcaddy/js/bridge.mjs", import.meta.url);
const TEXTS = { engine_missing: "Out of reach: {cause}.", timed_out: "Too late.", failure: "Failed ({cause})." };
const HELLO = { host: { id: "test", version: "1" }, shell: "0", mode: "auto", settings: {}, folder: "", retention: "turn", limits: { auto_default_s: 1 }, model: true };

/** An engine over a child of that manner, with a log that remembers and a clock that can be moved. */
function engine(t, manner, more = {}) {
  const said = [];
  const log = Object.fromEntries(["debug", "info", "warn"].map((level) => [level, (text) => said.push(`${level}: ${text}`)]));
  const diary = join(mkdtempSync(join(tmpdir(), "bridge-")), "diary");
  writeFileSync(diary, "");
  const clock = { ahead: 0 };
  const made = new Engine({
    find: () => ({ command: process.execPath, args: [CHILD, manner, diary] }),
    hello: HELLO,
    log,
    now: () => performance.now() + clock.ahead,
    ...more,
  });
  t.after(() => made.close());
  const lines = () => readFileSync(diary, "utf8").split("\n").filter(Boolean);
  return { engine: made, said, lines, clock, warnings: () => said.filter((text) => text.startsWith("warn")), starts: () => lines().filter((line) => line.startsWith("start")).length };
}

const ask = (made, prompt = "hello", asked) => retrieve(made, { prompt }, asked);
const tool = (made, query = "hello", asked, more = {}) => callTool(made, TEXTS, { name: "skill_search", arguments: { query, ...more } }, asked);

async function until(condition) {
  const end = Date.now() + 10_000;
  while (!condition()) {
    assert.ok(Date.now() < end, "it never happened");
    await new Promise((go) => setImmediate(go));
  }
}

test("importing the module starts nothing and says nothing", () => {
  const run = spawnSync(process.execPath, ["--input-type=module", "-e", `await import(${JSON.stringify(BRIDGE.href)})`], { encoding: "utf8" });
  assert.deepEqual([run.status, run.stdout, run.stderr], [0, "", ""]);
});

test("the child starts at the first request and serves the next ones too", async (t) => {
  const { engine: made, starts } = engine(t, "good");
  assert.equal(starts(), 0);
  const first = await ask(made);
  assert.match(first, /^hello by \d+$/);
  assert.equal(await ask(made), first);
  assert.equal(starts(), 1);
});

test("the handshake says who asks, and its warnings reach the log once in the process", async (t) => {
  const { engine: made, said, lines } = engine(t, "good");
  await ask(made);
  const [, hello] = lines();
  assert.deepEqual(JSON.parse(hello).params, { protocol: 1, ...HELLO });
  made.close();
  await ask(made);
  assert.ok(said.filter((text) => text === "warn: skillcaddy: mode is odd").length <= 1);
});

test("a process that is at rest ends although the child still lives", () => {
  const script = `import { Engine, retrieve } from ${JSON.stringify(BRIDGE.href)};
    const log = { info() {}, warn() {} };
    const made = new Engine({ log, hello: ${JSON.stringify(HELLO)}, find: () => ({ command: process.execPath, args: [${JSON.stringify(CHILD)}] }) });
    console.log(await retrieve(made, { prompt: "hi" }));`;
  const run = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8", timeout: 20_000 });
  assert.equal(run.status, 0, run.stderr);
  assert.match(run.stdout, /^hi by/);
});

test("noise on the wire costs nothing", async (t) => {
  const { engine: made, warnings } = engine(t, "noisy");
  assert.match(await ask(made), /^hello by/);
  assert.deepEqual(warnings().filter((text) => !text.includes("mode is odd")), []);
});

test("a character that lies across two chunks arrives whole", async (t) => {
  assert.equal(await ask(engine(t, "halves").engine), "grüße 技能");
});

test("a line of ten megabytes passes in both directions", async (t) => {
  const there = engine(t, "good");
  const long = "x".repeat(10 * 1024 * 1024);
  assert.equal((await tool(there.engine, long)).length, `${long} by ${there.lines()[0].slice(6)}`.length);
  assert.equal((await tool(engine(t, "big").engine)).length, 5_000_000);
});

test("a line without an end ends the child instead of filling the memory", async (t) => {
  const { engine: made, warnings } = engine(t, "endless");
  assert.equal(await ask(made), "");
  assert.equal(warnings().filter((text) => text.includes("line without an end")).length, 1);
});

test("a child killed between turns is replaced for the next one", async (t) => {
  const { engine: made, starts, warnings } = engine(t, "good");
  await ask(made);
  process.kill(Number(made.child.process.pid), "SIGKILL");
  await until(() => !made.child.alive);
  assert.match(await ask(made, "again"), /^again by/);
  assert.equal(starts(), 2);
  assert.equal(warnings().filter((text) => text.includes("SIGKILL")).length, 1);
});

test("a child that dies under a request costs that turn alone", async (t) => {
  const { engine: made } = engine(t, "good");
  const others = [ask(made, "die"), ask(made, "too")];
  assert.deepEqual((await Promise.all(others))[0], "");
  assert.match(await ask(made, "next"), /^next by/);
});

test("a child that keeps dying is started ever less often and warned of once", async (t) => {
  const { engine: made, starts, warnings, clock, said } = engine(t, "dies");
  for (let turn = 0; turn < 5; turn += 1) assert.equal(await ask(made), "");
  assert.equal(starts(), 2, "the first restart is at once, the next has to wait");
  clock.ahead += 600;
  await ask(made);
  assert.equal(starts(), 3);
  for (let round = 0; round < 12; round += 1) {
    clock.ahead += 60_001;
    await ask(made);
  }
  assert.equal(starts(), 15, "a minute is the longest pause");
  assert.equal(warnings().filter((text) => text.includes("the engine ended")).length, 1, said.join("\n"));
});

test("what a dying child said last is in the one warning", async (t) => {
  const { engine: made, warnings } = engine(t, "dies-at-start");
  assert.equal(await tool(made), "Out of reach: the engine ended (exit code 1): No module named skillcaddy.");
  assert.match(warnings().join(), /No module named skillcaddy/);
});

test("an engine that answers late is left behind and told so", async (t) => {
  const { engine: made, lines, starts } = engine(t, "slow-once");
  assert.equal(await tool(made), "Too late.");
  await until(() => lines().some((line) => line.includes("$/cancel")));
  assert.match(await tool(made, "next"), /^next by/);
  assert.equal(starts(), 1);
});

test("the host's own limit cuts the engine's deadline", async (t) => {
  const { engine: made } = engine(t, "good");
  await ask(made);
  const answer = await made.request("turn.retrieve", { prompt: "x" }, "auto", { capMs: 4_000 });
  assert.ok(answer.deadline_s > 0 && answer.deadline_s <= 2.7, `${answer.deadline_s}`);
  assert.equal(await ask(made, "x", { capMs: 1_200 }), "", "no time is left at all");
});

test("a call that the host calls off is cancelled in the engine too", async (t) => {
  const { engine: made, lines } = engine(t, "slow");
  const control = new AbortController();
  const answer = made.request("tool.call", {}, "tool", { signal: control.signal });
  await until(() => lines().length > 2);
  control.abort();
  await assert.rejects(answer, (error) => error instanceof BridgeError && error.code === "cancelled");
  await until(() => lines().some((line) => line.includes("$/cancel")));
});

test("a mute child does not hold the turn beyond the host's limit", async (t) => {
  const begun = Date.now();
  assert.equal(await ask(engine(t, "mute").engine, "x", { capMs: 400 }), "");
  assert.ok(Date.now() - begun < 5_000);
});

test("an engine of another protocol is refused with its own words and not asked again at once", async (t) => {
  const { engine: made, starts, warnings } = engine(t, "refuses");
  assert.match(await tool(made), /Out of reach: speaks another protocol/);
  await tool(made);
  await tool(made);
  assert.equal(starts(), 2);
  assert.equal(warnings().filter((text) => text.includes("another protocol")).length, 1);
});

test("no Python at all is one warning, an honest answer and an empty turn", async (t) => {
  const cause = "no Python with skillcaddy was found (nothing). Do this.";
  const { engine: made, warnings } = engine(t, "good", { find: () => cause });
  assert.equal(await ask(made), "");
  assert.equal(await tool(made), `Out of reach: ${cause}`);
  assert.deepEqual(warnings(), [`warn: skillcaddy: ${cause}`]);
});

test("a program that cannot be started is a cause, not a crash", async (t) => {
  const { engine: made } = engine(t, "good", { find: () => ({ command: "/no/such/python", args: [] }) });
  assert.match(await tool(made), /Out of reach: .*\/no\/such\/python could not be started/);
});

test("errors and empty answers of the engine become sentences", async (t) => {
  assert.equal(await tool(engine(t, "error").engine), "Failed (internal error (KeyError)).");
  assert.equal(await tool(engine(t, "silent-answer").engine), "Failed (the answer holds no text).");
  assert.equal(await ask(engine(t, "silent-answer").engine), "");
});

test("a cause with dollar signs is quoted as it is", async (t) => {
  const { engine: made } = engine(t, "good", { find: () => "lost $& and $1" });
  assert.equal(await tool(made), "Out of reach: lost $& and $1.");
});

test("too many requests at once are refused instead of piling up", async (t) => {
  const { engine: made } = engine(t, "late");
  await made.living().ready;
  const all = await Promise.all(Array.from({ length: 80 }, (_, index) => tool(made, `q${index}`, undefined, { ms: 50 })));
  assert.equal(all.filter((text) => /^q\d+ by/.test(text)).length, 64);
  assert.equal(all.filter((text) => text.includes("too much to do")).length, 16);
});

test("two sessions at once each get their own answer", async (t) => {
  const { engine: made } = engine(t, "late");
  const [slow, fast] = await Promise.all([tool(made, "slow", undefined, { ms: 80 }), tool(made, "fast", undefined, { ms: 1 })]);
  assert.match(slow, /^slow/);
  assert.match(fast, /^fast/);
});

test("the engine's call for a model reaches the host's model and back", async (t) => {
  const { engine: made } = engine(t, "model");
  const complete = async (request) => ({ text: `${request.messages[0].content} says ${request.maxTokens}`, model: "m" });
  assert.equal(await ask(made, "it", { complete }), "it says 5");
});

test("a model that fails, hangs or is absent is an error to the engine and none to the turn", async (t) => {
  const { engine: made } = engine(t, "model");
  assert.match(await ask(made, "it", { complete: async () => { throw new Error("401"); } }), /no model: 401/);
  assert.match(await ask(made, "it"), /offers no model/);
  const hangs = ({ signal }) => new Promise((_, stop) => signal.addEventListener("abort", () => stop(new Error("stopped"))));
  assert.match(await ask(made, "it", { complete: hangs }), /no model: stopped/);
});

test("a notification starts no child and reaches a running one", async (t) => {
  const { engine: made, starts, lines } = engine(t, "good");
  made.tell("session.clear", { session: "s" });
  assert.equal(starts(), 0);
  await ask(made);
  made.tell("session.clear", { session: "s" });
  await until(() => lines().some((line) => line.includes("session.clear")));
});

test("closing ends the child by end of input, and it can be started again", async (t) => {
  const { engine: made, lines, warnings } = engine(t, "good");
  await ask(made);
  made.close();
  await until(() => lines().includes("end of input"));
  assert.match(await ask(made), /^hello by/);
  assert.deepEqual(warnings().filter((text) => !text.includes("mode is odd")), []);
});

test("however often the module is evaluated there is one child", async (t) => {
  const { engine: first, lines } = engine(t, "good");
  const again = await import(`${BRIDGE.href}?again`);
  const options = { find: first.find, hello: { ...HELLO, shell: "shared" }, log: first.log };
  const one = sharedEngine(options);
  t.after(() => one.close());
  assert.equal(again.sharedEngine(options), one);
  assert.equal(await again.retrieve(one, { prompt: "x" }), await retrieve(one, { prompt: "x" }));
  assert.equal(lines().filter((line) => line.startsWith("start")).length, 1);
});

test("a changed configuration gets a child of its own, the older one ends when it has answered", async (t) => {
  const { engine: any, lines, log } = engine(t, "late");
  const options = { find: any.find, hello: { ...HELLO, shell: "changing" }, log: any.log };
  const older = sharedEngine(options);
  const newer = sharedEngine({ ...options, hello: { ...options.hello, settings: { top_k: 3 } } });
  t.after(() => newer.close());
  assert.notEqual(older, newer);
  await older.living().ready;
  const slow = tool(older, "slow", undefined, { ms: 300 });
  await until(() => lines().some((line) => line.includes("slow")));
  assert.match(await tool(newer, "new", undefined, { ms: 1 }), /^new by/);
  assert.match(await slow, /^slow by/);
  await until(() => lines().includes("end of input"));
});

test("a log that throws costs nothing", async (t) => {
  const log = { info() {}, warn() { throw new Error("closed"); } };
  assert.equal(await ask(engine(t, "good", { log, find: () => "nowhere" }).engine), "");
});

test("the interpreter is the configured one, then SKILLCADDY_PYTHON, then skillcaddy on PATH", () => {
  const folder = mkdtempSync(join(tmpdir(), "path-"));
  for (const name of ["one", "two", "skillcaddy"]) {
    writeFileSync(join(folder, name), "");
    chmodSync(join(folder, name), 0o755);
  }
  mkdirSync(join(folder, "a-folder"));
  const at = (name) => join(folder, name);
  const find = (configured, env) => findEngine({ configured, env, where: "config.python", fix: "Do this." });
  const module = ["-m", "skillcaddy", "bridge"];
  assert.deepEqual(find(at("one"), { SKILLCADDY_PYTHON: at("two"), PATH: folder }), { command: at("one"), args: module });
  assert.deepEqual(find("one", { PATH: folder }), { command: at("one"), args: module });
  assert.deepEqual(find("~/one", { HOME: folder }), { command: at("one"), args: module });
  assert.deepEqual(find(at("gone"), { SKILLCADDY_PYTHON: at("two") }), { command: at("two"), args: module });
  assert.deepEqual(find(" ", { SKILLCADDY_PYTHON: "", PATH: folder }), { command: at("skillcaddy"), args: ["bridge"] });
  assert.equal(
    find(at("a-folder"), { PATH: "/usr/nowhere" }),
    `no Python with skillcaddy was found (config.python is ${at("a-folder")}, which is no program; SKILLCADDY_PYTHON is not set; no \`skillcaddy\` on PATH). Do this.`,
  );
});

test("a word that is no mode never becomes the other mode in silence (T10)", () => {
  const said = [];
  const log = { info() {}, warn: (text) => said.push(text) };
  assert.equal(modeOf("auto", {}, log), "auto");
  assert.equal(modeOf(undefined, {}, log), "on_demand");
  assert.equal(modeOf("auto", { SKILLCADDY_MODE: "on_demand" }, log), "on_demand");
  assert.equal(modeOf("auto", { SKILLCADDY_MODE: " " }, log), "auto");
  assert.deepEqual(said, []);
  assert.equal(modeOf("auto", { SKILLCADDY_MODE: "atuo" }, log), "auto");
  assert.equal(modeOf("atuo-2", {}, log), "on_demand");
  assert.match(said[0], /SKILLCADDY_MODE is "atuo"/);
  assert.match(said[1], /mode is "atuo-2"/);
  assert.equal(said.length, 2);
});

test("process-wide values are made once", () => {
  assert.equal(processWide("test", () => ({})), processWide("test", () => ({})));
});
