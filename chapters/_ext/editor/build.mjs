// Bundles the editor and writes the licences of what is in it beside the bundle.
import { build } from "esbuild";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";

const OUT = "../../_static/practice";
const made = await build({
  entryPoints: ["editor.mjs"], bundle: true, format: "esm", minify: true, target: "es2022",
  outfile: `${OUT}/editor.js`, legalComments: "none", metafile: true,
  banner: { js: "/* CodeMirror and Lezer, bundled: MIT licence, see editor-licences.txt. Source: chapters/_ext/editor */" },
});

const packages = new Set(Object.keys(made.metafile.inputs)
  .map((path) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1]).filter(Boolean));
const licences = [...packages].sort().map((name) => {
  const folder = `node_modules/${name}`;
  const { version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  return `${name} ${version}\n\n${readFileSync(`${folder}/${file}`, "utf8").trim()}\n`;
});
writeFileSync(`${OUT}/editor-licences.txt`, licences.join(`\n${"-".repeat(72)}\n\n`));
