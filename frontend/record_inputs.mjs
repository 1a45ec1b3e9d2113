// Records the SHA-256 of everything that static/app.css is made of. A test compares it, without npm.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const hash = createHash("sha256");
const templates = readdirSync("templates", { recursive: true }).filter((name) => name.endsWith(".html"));
for (const path of ["frontend/app.css", "frontend/public.css", "package-lock.json", ...templates.map((name) => `templates/${name}`)].sort()) {
  hash.update(`${path}\n`).update(readFileSync(path));
}
writeFileSync("frontend/inputs.sha256", `${hash.digest("hex")}\n`);
