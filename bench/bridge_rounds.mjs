// Times round trips from a Node host to a Python child and prints one JSON line: `node bridge_rounds.mjs PYTHON ROUNDS`.
// Four rows: a bare echo of the same line, then the bridge without a search, then a turn that finds nothing to ask.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Engine } from "../engine/src/skillcaddy/js/bridge.mjs";

const [python, rounds] = [process.argv[2], Number(process.argv[3])];
const PARAMS = { prompt: "  ", history: [], session: "s", workspace: "", roots: [], hidden: [], tools: null };
const ECHO = "import sys\nfor line in sys.stdin: sys.stdout.write(line); sys.stdout.flush()";

const child = spawn(python, ["-c", ECHO], { stdio: ["pipe", "pipe", "inherit"] });
const line = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "turn.retrieve", params: { ...PARAMS, deadline_s: 8 } });
const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
const echo = async () => {
  child.stdin.write(`${line}\n`);
  JSON.parse((await lines.next()).value);
};

const say = (text) => process.stderr.write(`${text}\n`);
const engine = new Engine({
  find: () => ({ command: python, args: ["-m", "skillcaddy", "bridge"] }),
  log: { info: say, warn: say },
  hello: { host: { id: "bench", version: "0" }, shell: "0", mode: "auto", settings: { shared_library: "off" }, folder: "", retention: "turn", limits: { auto_default_s: 8 }, model: false },
});
const ping = () => engine.request("ping", {}, "auto");
const turn = () => engine.request("turn.retrieve", PARAMS, "auto");

/** Milliseconds of each round, after some that warm up; the kinds take turns, so that load falls on all alike. */
async function measure(kinds) {
  const spent = Object.fromEntries(Object.keys(kinds).map((name) => [name, []]));
  for (let round = -50; round < rounds; round += 1) {
    for (const [name, act] of Object.entries(kinds)) {
      const begun = performance.now();
      await act();
      if (round >= 0) spent[name].push(performance.now() - begun);
    }
  }
  return spent;
}

const begun = performance.now();
await turn();
const first = performance.now() - begun;
const spent = await measure({ echo, ping, turn });
process.stdout.write(`${JSON.stringify({ first, ...spent })}\n`);
child.stdin.end();
engine.close();
