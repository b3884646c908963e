// What `npm pack` would publish.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const PLUGIN = fileURLToPath(new URL("../plugin/", import.meta.url));

test("the package holds the plugin's files, its README and nothing else", () => {
  const [packed] = JSON.parse(execFileSync("npm", ["pack", "--dry-run", "--json"], { cwd: PLUGIN, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  const { files, name, version } = JSON.parse(readFileSync(`${PLUGIN}/package.json`, "utf8"));
  assert.deepEqual(packed.files.map((file) => file.path).sort(), ["package.json", ...files].sort());
  assert.deepEqual([packed.name, packed.version], [name, version]);
  assert.ok(packed.size < 100_000, `${packed.size} bytes`);
});
