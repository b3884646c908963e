// The shells' shared half with the real engine behind it; SKILLCADDY_PYTHON names the Python that has skillcaddy.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Engine, callTool, findEngine, retrieve } from "../../src/skillcaddy/js/bridge.mjs";

const folder = mkdtempSync(join(tmpdir(), "engine-"));
for (const [name, description, fact] of [
  ["quarterly-deck", "Build the quarterly review deck from our house template", "The heron slide comes first."],
  ["sourdough-loaf", "Bake a sourdough loaf in the cast iron pot", "Proof it under a linen cloth."],
]) {
  mkdirSync(join(folder, "skills", name), { recursive: true });
  writeFileSync(join(folder, "skills", name, "SKILL.md"), `---\nname: ${name}\ndescription: ${description}\n---\n\n${fact}\n`);
}
process.env.SKILLCADDY_HOME = join(folder, "home");

function engine(t, { mode = "auto", ...more } = {}) {
  const said = [];
  const note = (text) => said.push(text);
  const made = new Engine({
    find: () => findEngine({ configured: undefined, env: { SKILLCADDY_PYTHON: process.env.SKILLCADDY_PYTHON }, where: "config", fix: "Set SKILLCADDY_PYTHON." }),
    log: { info: note, warn: note },
    hello: {
      host: { id: "test", version: "1" },
      shell: "0",
      mode,
      settings: { skills_dirs: [join(folder, "skills")], shared_library: "off", deadline_auto_s: 30.0, ...more },
      folder: "",
      retention: "turn",
      limits: { auto_default_s: 8 },
      model: true,
    },
  });
  t.after(() => made.close());
  return { engine: made, said };
}

const DECK = { prompt: "Please build the quarterly review deck from our house template", session: "s" };
const said = (text) => text.filter((line) => !line.includes("[index_building]"));

test("a turn gets the skill that fits, an unrelated one nothing", async (t) => {
  const { engine: made, said: log } = engine(t, { gate: "off" });
  assert.match(await retrieve(made, DECK), /heron slide/);
  assert.equal(await retrieve(made, { prompt: "Thanks, good night!", session: "s" }), "");
  assert.deepEqual(said(log), []);
});

test("the agent's tools answer, and a message of ten megabytes does too", async (t) => {
  const { engine: made } = engine(t, { mode: "on_demand" });
  const search = (query) => callTool(made, {}, { name: "skill_search", arguments: { query }, session: "s" });
  assert.match(await search(DECK.prompt), /heron slide/);
  assert.match(await search(`${DECK.prompt} ${"x ".repeat(5_000_000)}`), /heron slide/);
});

test("a wrong setting of the host is named in its log", async (t) => {
  const { engine: made, said: log } = engine(t, { gate: "off", top_k: "8" });
  await retrieve(made, DECK);
  assert.match(said(log)[0], /test configuration: top_k/);
});

test("a child that is killed under a request costs that turn alone", async (t) => {
  const { engine: made } = engine(t, { gate: "off" });
  await retrieve(made, DECK);
  const cut = retrieve(made, { ...DECK, prompt: DECK.prompt + " x".repeat(2_000_000) });
  process.kill(made.child.process.pid, "SIGKILL");
  assert.equal(await cut, "");
  assert.match(await retrieve(made, DECK), /heron slide/);
});

test("the gate asks the host's model and keeps what it chose", async (t) => {
  const { engine: made, said: log } = engine(t, { gate: "on", rewrite: "off" });
  const questions = [];
  const complete = async ({ messages }) => {
    questions.push(messages.map((each) => each.content).join("\n"));
    const ids = [...questions[0].matchAll(/of="(s[a-z2-7]{4})">\s*name: ([a-z-]+)/g)];
    return { text: JSON.stringify({ ids: ids.filter(([, , name]) => name === "sourdough-loaf").map(([, id]) => id) }), model: "m" };
  };
  const both = { ...DECK, prompt: `${DECK.prompt}, then bake a sourdough loaf in the cast iron pot` };
  const text = await retrieve(made, both, { complete });
  assert.equal(questions.length, 1);
  assert.match(text, /linen cloth/);
  assert.doesNotMatch(text, /heron slide/);
  assert.deepEqual(said(log), []);
});
