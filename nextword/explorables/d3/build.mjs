// Joins the parts of d3 into ../d3.js: a module with one export, `d3`, which bundle.py takes like any other.
import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const made = await build({
  entryPoints: ["parts.mjs"], bundle: true, minify: true, write: false,
  format: "iife", globalName: "d3", target: "es2022", legalComments: "none",
});
const code = made.outputFiles[0].text.trim();
if (!code.startsWith("var d3=")) throw new Error("esbuild wrote something else than expected");
const rights = readFileSync("LICENSE", "utf8").match(/^Copyright .*$/m)[0];
const notice = `/*! Parts of d3 (https://d3js.org). ${rights}. ISC licence: nextword/explorables/d3/LICENSE */\n`;
writeFileSync("../d3.js", `${notice}export const d3=${code.slice("var d3=".length)}\n`);
