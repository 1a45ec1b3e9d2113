// Copies what the pages load from npm packages into static/vendor/, so that no page needs a network.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";

const FILES = {
  "inter.woff2": "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
  "inter-ext.woff2": "@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2",
  "htmx.js": "htmx.org/dist/htmx.min.js",
  "uplot.js": "uplot/dist/uPlot.iife.min.js",
  "uplot.css": "uplot/dist/uPlot.min.css",
  "sigma.js": "sigma/dist/sigma.min.js",
  "graphology.js": "graphology/dist/graphology.umd.min.js",
  "graphology-library.js": "graphology-library/dist/graphology-library.min.js",
};
const ICONS = [
  "activity", "archive", "arrow-left", "arrow-right", "bell", "book-open", "bot", "brain", "building-2", "calendar",
  "chart-column", "chart-gantt", "check", "chevron-down", "chevron-left", "chevron-right", "chevrons-up-down",
  "circle-alert", "circle-check", "circle-help", "circle-x", "clock", "command", "copy", "corner-down-left",
  "database", "download", "earth", "ellipsis", "external-link", "eye", "file-text", "filter", "fingerprint",
  "flask-conical", "footprints", "gauge", "git-merge", "globe", "history", "hourglass", "inbox", "info", "key-round",
  "layers", "layout-dashboard", "lightbulb", "link", "list", "loader-circle", "lock", "log-out", "mail", "maximize",
  "menu", "message-circle", "messages-square", "monitor-smartphone", "moon", "mouse-pointer-click", "paperclip",
  "pause", "pencil", "pin", "play", "plug", "plus", "quote", "refresh-cw", "rocket", "scale", "scroll-text", "search", "send",
  "settings", "shapes", "shield-alert", "shield-check", "sliders-horizontal", "sparkles", "split", "square", "sun",
  "tag", "telescope", "terminal", "trash-2", "trending-down", "trending-up", "triangle-alert", "undo-2", "upload",
  "user", "user-round", "users", "waypoints", "webhook", "x", "zap",
];

rmSync("static/vendor", { recursive: true, force: true });
mkdirSync("static/vendor", { recursive: true });
for (const [name, source] of Object.entries(FILES)) cpSync(`node_modules/${source}`, `static/vendor/${name}`);
// A reference to a source map that is not there fails `collectstatic`.
for (const name of Object.keys(FILES).filter((one) => one.endsWith(".js"))) {
  const path = `static/vendor/${name}`;
  writeFileSync(path, readFileSync(path, "utf8").replace(/\n?\/\/# sourceMappingURL=.*\n?$/, "\n"));
}
mkdirSync("static/vendor/icons");
for (const name of ICONS) cpSync(`node_modules/lucide-static/icons/${name}.svg`, `static/vendor/icons/${name}.svg`);

// The browser tests ask axe-core about every page. No page loads it.
mkdirSync("tests/browser/vendor", { recursive: true });
cpSync("node_modules/axe-core/axe.min.js", "tests/browser/vendor/axe.min.js");
