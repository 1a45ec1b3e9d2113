// The graph, drawn by sigma.js (WebGL). The panel beside it comes from the server, and says which node is chosen.
const canvas = document.getElementById("graph-canvas");
const note = document.getElementById("graph-note");
const panel = document.getElementById("graph-panel");
const filters = document.getElementById("graph-filters");
const mover = document.getElementById("graph-move");
const hint = document.getElementById("graph-hint"); // below the drawing on a narrow page, where the panel is out of sight
const sizes = [...filters.querySelectorAll("a[data-size]")];
const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
const KINDS = ["PERSON", "ORGANIZATION", "LOCATION", "PRODUCT", "CONCEPT", "OTHER"];
const LARGE = 1500; // nodes
const EXPANDED = 12; // neighbours
const NETWORKS = ["world", "experience", "opinion", "observation"];
const EDGES = { mention: "--line-strong", relationship: "--chart-1", semantic: "--chart-6", causal: "--chart-4", evidence: "--chart-3" };
const graph = new graphology.MultiGraph({ allowSelfLoops: false });
const hidden = new Set(); // unchecked boxes, also those that somebody unchecked before this script ran
const search = document.querySelector("form[role=search]");
let renderer, labels = [], chosen = null, hovered = null, near = new Set(), colours = {}, worker;

const readColour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function readColours() {
  colours = Object.fromEntries([...KINDS.map((kind) => [kind, readColour(`--kind-${kind.toLowerCase()}`)]),
    ...NETWORKS.map((name) => [name, readColour(`--${name}`)]),
    ...Object.entries(EDGES).map(([type, name]) => [`edge ${type}`, readColour(name)]),
    ...["ink", "line", "surface"].map((name) => [name, readColour(`--${name}`)])]);
}

// A number in [0, 1) that is always the same for a text, so that a graph looks alike each time.
function scatter(text) {
  let hash = 2166136261;
  for (const letter of text) hash = Math.imul(hash ^ letter.codePointAt(0), 16777619);
  return (hash >>> 0) / 4294967296;
}

const isEntity = (key) => key.startsWith("entity:");

// New nodes begin near a neighbour that is already placed, else on a circle.
function add(data, centre) {
  const fresh = data.nodes.filter(([key]) => !graph.hasNode(key));
  const around = new Map(data.edges.flatMap(([from, to]) => [[from, to], [to, from]]));
  const middle = centre && graph.hasNode(centre) ? graph.getNodeAttributes(centre) : null;
  for (const [key, label, group, weight] of fresh) {
    const angle = scatter(key) * 2 * Math.PI, other = around.get(key);
    const from = middle ?? (other && graph.hasNode(other) ? graph.getNodeAttributes(other) : null);
    const far = from ? 2 + scatter(`${key}r`) * 4 : 20 + scatter(`${key}r`) * 60;
    graph.addNode(key, { label: label.length > 42 && !isEntity(key) ? `${label.slice(0, 41)}…` : label, group, x: (from?.x ?? 0) + far * Math.cos(angle),
      y: (from?.y ?? 0) + far * Math.sin(angle), size: isEntity(key) ? Math.min(5 + Math.sqrt(weight) * 1.4, 18) : 3.5 });
  }
  for (const [from, to, type, label] of data.edges) {
    const key = `${from} ${to} ${type} ${label}`;
    if (from !== to && graph.hasNode(from) && graph.hasNode(to) && !graph.hasEdge(key)) {
      graph.addEdgeWithKey(key, from, to, { kind: type, size: type === "mention" ? 0.7 : 1.4,
        type: type === "causal" || type === "evidence" ? "arrow" : "line" });
    }
  }
  return fresh.length;
}

// A worker finds the places. With reduced motion only the result is shown. Resolves when the nodes have come to rest.
function settle(most) {
  worker?.terminate();
  if (graph.order < 2) return Promise.resolve();
  const keys = graph.nodes(), numbers = new Map(keys.map((key, number) => [key, number]));
  worker = new Worker(canvas.dataset.layout);
  worker.postMessage({ scripts: canvas.dataset.layoutScripts.split(" "), most, milliseconds: still ? 3000 : 9000,
    nodes: graph.mapNodes((key, { x, y, size }) => [key, x, y, size]), edges: graph.mapEdges((_, __, from, to) => [from, to]) });
  return new Promise((resolve) => {
    worker.onerror = resolve;
    worker.onmessage = ({ data: { isDone, places } }) => {
      if (isDone || !still) {
        graph.updateEachNodeAttributes((key, data) => {
          const [x, y] = places[numbers.get(key)] ?? [data.x, data.y];
          return { ...data, x, y };
        }, { attributes: ["x", "y"] });
      }
      if (isDone) resolve();
    };
  });
}

function reduceNode(key, data) {
  const isDim = near.size && !near.has(key);
  if (hidden.has(data.group)) return { ...data, hidden: true };
  const result = { ...data, color: isDim ? colours.line : colours[data.group], zIndex: isEntity(key) ? 1 : 0 };
  if (isDim) result.label = "";
  else if (near.size && isEntity(key)) result.forceLabel = true;
  if (key === chosen || key === hovered) Object.assign(result, { highlighted: true, forceLabel: true, zIndex: 2 });
  return result;
}

function reduceEdge(key, data) {
  if (hidden.has(data.kind)) return { ...data, hidden: true };
  const focus = hovered ?? chosen;
  const isOwn = focus && graph.hasExtremity(key, focus);
  if (focus && !isOwn) return { ...data, color: colours.line, size: 0.4 };
  return { ...data, color: colours[`edge ${data.kind}`], size: isOwn ? data.size * 1.8 : data.size, zIndex: isOwn ? 1 : 0 };
}

function light() {
  const focus = hovered ?? chosen;
  near = new Set(focus && graph.hasNode(focus) ? [focus, ...graph.neighbors(focus)] : []);
  renderer?.refresh({ skipIndexation: true });
}

function fly(key) {
  const at = renderer.getNodeDisplayData(key);
  if (!at) return;
  const camera = renderer.getCamera();
  const goal = { x: at.x, y: at.y, ratio: Math.min(camera.ratio, 0.45) };
  if (still) camera.setState(goal);
  else camera.animate(goal, { duration: 500 });
}

async function load(query) {
  const answer = await fetch(`${canvas.dataset.data}?${new URLSearchParams(query)}`);
  if (answer.headers.has("HX-Refresh")) location.reload(); // the bank is gone, and its page says so
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}

// The node is drawn with its neighbours, and the camera flies to it.
async function choose(key) {
  chosen = key;
  hovered = null; // a tap leaves it, until the next one
  light();
  hint.hidden = !key;
  if (!key) return;
  hint.querySelector("bdi").textContent = panel.querySelector("h2:not(.sr-only), .memory-text").textContent;
  try {
    const fresh = add(await load({ node: key }), key);
    if (chosen === key) light();
    if (fresh) await settle(Math.min(60 + fresh * 3, 240));
  } catch {
    showToast("This node could not be loaded.", "error");
  }
  if (chosen === key) fly(key);
}

// A finger scrolls the page, and a tap is a click, until the reader wants to move the graph.
function letFingerMove(isMoving) {
  renderer.getTouchCaptor().enabled = isMoving;
  canvas.toggleAttribute("data-moves", isMoving);
  mover.setAttribute("aria-pressed", String(isMoving));
}

// Draws the neighbours of its neighbours. At most EXPANDED of them are asked for, those with the fewest edges first.
async function expand(key) {
  const around = graph.neighbors(key).sort((one, other) => graph.degree(one) - graph.degree(other)).slice(0, EXPANDED);
  let fresh = 0;
  try {
    for (const data of await Promise.all(around.map((one) => load({ node: one })))) fresh += add(data, key);
  } catch {
    showToast("These nodes could not be loaded.", "error");
  }
  canvas.dataset.drawn = String(graph.order);
  showToast(fresh ? `${fresh} node${fresh === 1 ? "" : "s"} added.` : "Everything around this node is drawn.");
  if (!fresh) return;
  light();
  await settle(Math.min(60 + fresh * 3, 240));
  if (chosen === key) fly(key);
}

function readFilters() {
  hidden.clear();
  for (const box of filters.querySelectorAll("input:not(:checked)")) hidden.add(box.value);
  writeState();
  renderer?.refresh();
}

// Writes the hidden kinds and the number of nodes into the address, and the address into the links to other numbers.
function writeState() {
  const query = new URLSearchParams(location.search);
  const state = { hide: [...hidden].join(","), size: canvas.dataset.size === sizes[0].dataset.size ? "" : canvas.dataset.size };
  const changed = Object.entries(state).filter(([name, value]) => (query.get(name) ?? "") !== value);
  for (const [name, value] of changed) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  if (changed.length) history.replaceState(history.state, "", `${location.pathname}${query.size ? `?${query}` : ""}`);
  for (const link of sizes) {
    query.set("size", link.dataset.size);
    link.href = `?${query}`;
  }
}

function listen() {
  renderer.on("clickNode", ({ node }) => {
    const address = `${canvas.dataset.address}?node=${encodeURIComponent(node)}`;
    htmx.ajax("GET", address, { target: "#graph-panel" }).then(() => {
      history.pushState(null, "", address);
      writeState();
    });
  });
  renderer.on("doubleClickNode", (event) => {
    event.preventSigmaDefault(); // which would zoom
    expand(event.node);
  });
  // Lighting the neighbours draws everything anew: in a large graph only a click does it, so that moving it stays smooth.
  const hover = (node) => {
    canvas.classList.toggle("cursor-pointer", node !== null);
    if (graph.order > LARGE) return;
    hovered = node;
    light();
  };
  renderer.on("enterNode", ({ node }) => hover(node));
  renderer.on("leaveNode", () => hover(null));
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.target.id === "graph-panel") choose(panel.querySelector("[data-node]")?.dataset.node ?? null);
  });
  addEventListener("popstate", (event) => { if (!event.state?.htmx) location.reload(); });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-expand]") && chosen) expand(chosen);
    const factor = event.target.closest("[data-graph-zoom]")?.dataset.graphZoom;
    if (factor === undefined) return;
    const camera = renderer.getCamera(), duration = still ? 1 : 250;
    if (factor === "0") camera.animatedReset({ duration });
    else camera.animate({ ratio: camera.ratio * Number(factor) }, { duration });
  });
  letFingerMove(false);
  mover.addEventListener("click", () => letFingerMove(mover.getAttribute("aria-pressed") !== "true"));
  document.addEventListener("themechange", () => {
    readColours();
    renderer.setSetting("labelColor", { color: colours.ink });
    renderer.refresh();
  });
}

// A label on a hovered or chosen node, in the colours of the theme.
function drawHover(context, data, settings) {
  if (!data.label) return;
  context.font = `500 13px ${settings.labelFont}`;
  const width = context.measureText(data.label).width;
  context.fillStyle = colours.surface;
  context.strokeStyle = colours.line;
  context.beginPath();
  const left = data.x + data.size + 17 + width > canvas.clientWidth ? data.x - data.size - 17 - width : data.x + data.size + 3;
  context.roundRect(left, data.y - 12, width + 14, 24, 6);
  context.fill();
  context.stroke();
  context.beginPath();
  context.arc(data.x, data.y, data.size + 3, 0, 2 * Math.PI);
  context.strokeStyle = data.color;
  context.lineWidth = 2;
  context.stroke();
  context.fillStyle = colours.ink;
  context.fillText(data.label, left + 7, data.y + 4.5);
}

// A label that would cover another one is left out. One that would leave the canvas stands to the left of its node.
function drawLabel(context, data, settings) {
  if (!data.label) return;
  context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`;
  const width = context.measureText(data.label).width, gap = data.size + 3;
  const left = data.x + gap + width > canvas.clientWidth ? data.x - gap - width : data.x + gap;
  const box = { left, right: left + width, top: data.y - settings.labelSize, bottom: data.y + settings.labelSize };
  if (labels.some((one) => one.left < box.right && box.left < one.right && one.top < box.bottom && box.top < one.bottom)) return;
  labels.push(box);
  context.fillStyle = colours.ink;
  context.fillText(data.label, left, data.y + settings.labelSize / 3);
}

// Enter in the search opens the first node that is found.
function chooseFirstHit() {
  let entered = ""; // words that were searched with Enter: the search while typing, which comes later, has no part in it
  search.addEventListener("submit", () => { entered = search.elements.q.value; });
  search.addEventListener("htmx:confirm", (event) => {
    if (event.detail.triggeringEvent?.type === "submit") return;
    if (entered && entered === search.elements.q.value) event.preventDefault();
    else entered = "";
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.target.id !== "graph-panel" || event.detail.requestConfig?.elt !== search || !entered.trim()) return;
    panel.querySelector("li a")?.click();
  });
}

async function start() {
  readFilters();
  chooseFirstHit();
  filters.addEventListener("change", readFilters);
  for (const name of ["htmx:pushedIntoHistory", "htmx:replacedInHistory"]) {
    document.addEventListener(name, writeState); // the address of a node or a search does not know what is hidden
  }
  readColours();
  const data = await load({ size: canvas.dataset.size });
  add(data);
  if (!graph.order) {
    note.textContent = "No memories yet";
    return;
  }
  const settled = settle(graph.order > LARGE ? 160 : 420);
  if (still) await settled;
  const isLarge = graph.order > LARGE;
  renderer = new Sigma(graph, canvas, {
    allowInvalidContainer: true, zIndex: true, minCameraRatio: 0.03, maxCameraRatio: 4, labelFont: "Inter, sans-serif", labelSize: 12,
    labelWeight: "500", labelColor: { color: colours.ink }, labelDensity: 1, labelGridCellSize: 110, labelRenderedSizeThreshold: 7,
    defaultDrawNodeLabel: drawLabel, defaultDrawNodeHover: drawHover, nodeReducer: reduceNode, edgeReducer: reduceEdge, hideEdgesOnMove: graph.size > 3000, hideLabelsOnMove: isLarge,
    // Sigma's usual programs draw an instance for each node and edge. Points and lines are one call, four times as fast without a
    // graphics card.
    ...(isLarge && { nodeProgramClasses: { circle: Sigma.rendering.NodePointProgram }, edgeProgramClasses: { line: Sigma.rendering.EdgeLineProgram } }),
  });
  renderer.on("beforeRender", () => { labels = []; });
  note.hidden = true;
  canvas.dataset.drawn = String(graph.order);
  listen();
  const shown = panel.querySelector("[data-node]")?.dataset.node; // also one that was chosen before the graph was drawn
  if (shown) choose(shown);
}

start().catch(() => { note.textContent = "The drawing needs WebGL and a connection. The list has the same nodes and edges."; });

// For the browser tests: where a node of this name is drawn.
window.memoryGraph = { find: (name) => {
  const key = graph.findNode((_, data) => data.label === name);
  return key && renderer ? renderer.graphToViewport(graph.getNodeAttributes(key)) : null;
} };
