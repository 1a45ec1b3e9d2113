// Copies what the pages load from npm packages into static/vendor/, so that no page needs a network.
import { cpSync, mkdirSync, rmSync } from "node:fs";

const FILES = {
  "inter.woff2": "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
  "inter-ext.woff2": "@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2",
};
const ICONS = [
  "activity", "arrow-left", "arrow-right", "bell", "book-open", "brain", "building-2", "chart-column", "check", "chevrons-up-down", "circle-alert", "circle-check",
  "copy", "earth", "eye", "file-text", "fingerprint", "footprints", "info", "key-round", "layers", "lightbulb", "log-out", "mail", "menu", "monitor-smartphone", "moon",
  "plug", "plus", "scroll-text", "search", "settings", "shield-check", "sun", "trash-2", "triangle-alert", "user", "users", "webhook", "x",
];

rmSync("static/vendor", { recursive: true, force: true });
mkdirSync("static/vendor", { recursive: true });
for (const [name, source] of Object.entries(FILES)) cpSync(`node_modules/${source}`, `static/vendor/${name}`);
mkdirSync("static/vendor/icons");
for (const name of ICONS) cpSync(`node_modules/lucide-static/icons/${name}.svg`, `static/vendor/icons/${name}.svg`);
