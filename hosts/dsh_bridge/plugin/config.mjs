// What the host checks our configuration with: a Standard Schema object over the rendered settings.schema.json. The
// host refuses to boot on an issue and prints its message, so a mode that is none is never taken for the other one.
// @ts-check
import { readFileSync } from "node:fs";

/** @typedef {{ type: string, enum?: string[], items?: Schema, minimum?: number, maximum?: number, writeOnly?: boolean }} Schema */
/** @typedef {{ message: string, path: string[] }} Issue */

/** @type {Record<string, Schema>} */
const KNOWN = JSON.parse(readFileSync(new URL("./settings.schema.json", import.meta.url), "utf8")).properties;
const WORDS = /** @type {Record<string, string>} */ ({ string: "a text", integer: "a whole number", number: "a number", array: "a list of texts" });

export const Config = {
  "~standard": {
    version: /** @type {const} */ (1),
    vendor: "skillcaddy",
    validate,
  },
};

/** The configuration as it was given (defaults are the engine's), or everything that is wrong with it.
 * @param {unknown} given
 * @returns {{ value: Record<string, unknown> } | { issues: Issue[] }} */
function validate(given) {
  if (given === undefined || given === null) return { value: {} }; // a row without a config
  if (typeof given !== "object" || Array.isArray(given)) {
    return { issues: [{ message: `skillcaddy: the config is ${shown(given)}; it must be a table of settings.`, path: [] }] };
  }
  /** @type {Record<string, unknown>} */
  const value = {};
  /** @type {Issue[]} */
  const issues = [];
  for (const [key, each] of Object.entries(given)) {
    const schema = Object.hasOwn(KNOWN, key) ? KNOWN[key] : undefined;
    const message = schema === undefined ? `there is no setting ${key}.${closest(key, Object.keys(KNOWN))}` : problem(key, each, schema);
    if (message) issues.push({ message: `skillcaddy: ${message}`, path: [key] });
    else if (each !== undefined) value[key] = each;
  }
  return issues.length > 0 ? { issues } : { value };
}

/** What is wrong with a value, "" if nothing. @param {string} key @param {unknown} value @param {Schema} schema */
function problem(key, value, schema) {
  if (value === undefined || fits(value, schema)) return "";
  const given = schema.writeOnly ? "not what it may be" : shown(value);
  const hint = schema.enum && typeof value === "string" ? closest(value, schema.enum) : "";
  return `${key} is ${given}; it must be ${allowed(schema)}.${hint}`;
}

/** @param {unknown} value @param {Schema} schema @returns {boolean} */
function fits(value, schema) {
  switch (schema.type) {
    case "array":
      return Array.isArray(value) && value.every((item) => schema.items !== undefined && fits(item, schema.items));
    case "string":
      return typeof value === "string" && (schema.enum === undefined || schema.enum.includes(value));
    default:
      return (
        typeof value === "number" &&
        (schema.type === "integer" ? Number.isInteger(value) : Number.isFinite(value)) &&
        value >= (schema.minimum ?? -Infinity) &&
        value <= (schema.maximum ?? Infinity)
      );
  }
}

/** @param {Schema} schema */
function allowed({ type, enum: words, minimum, maximum }) {
  if (words !== undefined) return words.map((word) => JSON.stringify(word)).join(" or ");
  const span = (minimum === undefined ? "" : ` from ${minimum}`) + (maximum === undefined ? "" : ` to ${maximum}`);
  return (WORDS[type] ?? type) + span;
}

/** @param {unknown} value */
function shown(value) {
  return (JSON.stringify(value) ?? String(value)).slice(0, 80);
}

/** ` Did you mean ...?`, or "" where nothing is near. @param {string} word @param {string[]} known */
function closest(word, known) {
  const ranked = known.map((each) => ({ each, far: distance(word.toLowerCase(), each) })).sort((a, b) => a.far - b.far);
  const [best] = ranked;
  return best !== undefined && best.far <= Math.max(2, best.each.length / 3) ? ` Did you mean ${best.each}?` : "";
}

/** Letters to change, add or drop to make `b` of `a` (Wagner and Fischer, 1974). @param {string} a @param {string} b */
function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = /** @type {number} */ (row[j - 1]) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, /** @type {number} */ (row[j]) + 1, /** @type {number} */ (next[j - 1]) + 1));
    }
    row = next;
  }
  return /** @type {number} */ (row[b.length]);
}
