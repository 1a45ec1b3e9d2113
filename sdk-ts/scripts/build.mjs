// Compiles src/ into dist/esm and dist/cjs.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const tsc = `${root}node_modules/typescript/bin/tsc`;
rmSync(`${root}dist`, { recursive: true, force: true });
for (const [folder, module, type] of [["esm", "nodenext", "module"], ["cjs", "commonjs", "commonjs"]]) {
  const resolution = module === "commonjs" ? ["--moduleResolution", "node10"] : [];
  const options = ["--project", root, "--outDir", `${root}dist/${folder}`, "--module", module, ...resolution];
  execFileSync(process.execPath, [tsc, ...options], { stdio: "inherit" });
  writeFileSync(`${root}dist/${folder}/package.json`, JSON.stringify({ type }));
}
