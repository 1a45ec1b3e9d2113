// Records the SHA-256 of everything that static/app.css is made of. A test compares it, without npm.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const list = (folder, ending) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending) && !name.startsWith("vendor"))
    .map((name) => `${folder}/${name}`);
const inputs = ["package-lock.json", ...list("frontend", ".css"), ...list("templates", ".html"), ...list("static", ".js")];
const hash = createHash("sha256");
for (const path of inputs.sort()) hash.update(`${path}\n`).update(readFileSync(path));
writeFileSync("frontend/inputs.sha256", `${hash.digest("hex")}\n`);
