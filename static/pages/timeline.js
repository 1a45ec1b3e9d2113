// The chart of the timeline. The form holds the state; the server answers with the list and the data for the chart.
const MINUTE = 60000, HOUR = 60 * MINUTE, DAY = 24 * HOUR, YEAR = 365.25 * DAY;
const NETWORKS = ["world", "experience", "opinion", "observation"];
const TOP = 60, LANE_HEAD = 24, LABELS = [400, 200], LEAST_LABEL = 70, GAP = 10, FADE = 36;
const ROW = 34, LEAST_ROW = 27, LABELLED = 540, DOT = 8; // pixels: of a row, of a lane with labels, and of a dot without
const SAID = { opinion: "Formed", observation: "Noted" };
const TICKS = [[MINUTE, "minute"], [5 * MINUTE, "minute"], [15 * MINUTE, "minute"], [HOUR, "minute"], [3 * HOUR, "minute"],
  [6 * HOUR, "minute"], [12 * HOUR, "minute"], [DAY, "day"], [2 * DAY, "day"], [7 * DAY, "day"], [14 * DAY, "day"],
  [1, "month"], [3, "month"], [6, "month"], [12, "year"], [24, "year"], [60, "year"], [120, "year"], [600, "year"]];
const WRITE = {
  minute: new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" }),
  day: new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" }),
  month: new Intl.DateTimeFormat(undefined, { month: "short", year: "numeric" }),
  date: new Intl.DateTimeFormat(undefined, { dateStyle: "medium" }),
  year: new Intl.DateTimeFormat(undefined, { year: "numeric" }),
  full: new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" }),
};
const form = document.getElementById("timeline-form");
const chart = document.getElementById("timeline-chart");
const tip = document.getElementById("timeline-tip");
const assumed = document.getElementById("timeline-assumed"); // an entry of the legend
const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
const drawn = new Map(); // the group of each item
const pen = document.createElement("canvas").getContext("2d");
let data, view, svg, layers, timer;

function make(name, attributes = {}, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

const place = (moment) => ((moment - view.from) / (view.to - view.from)) * chart.clientWidth;
const limit = (value, least, most) => Math.min(Math.max(value, least), most);

// The sizes and weights are those of .timeline-label and .timeline-mark-label in the stylesheet.
function measureText(text, size, weight = 400) {
  pen.font = `${weight} ${size}px ${getComputedStyle(chart).fontFamily}`;
  return pen.measureText(text).width;
}
const measureLabel = (item, text) => (item === data.pinned ? measureText(text, 13, 600) : measureText(text, 12));
function shorten(item, most) {
  if (measureLabel(item, item.text) <= most) return item.text;
  let least = 0, letters = item.text.length;
  while (least < letters) { // the most letters that fit
    const middle = Math.ceil((least + letters) / 2);
    if (measureLabel(item, `${item.text.slice(0, middle)}…`) <= most) least = middle;
    else letters = middle - 1;
  }
  return `${item.text.slice(0, letters).trimEnd()}…`;
}

// --- The window ---
function show(from, to) {
  const length = limit(to - from, 10 * MINUTE, 300 * YEAR);
  const middle = (from + to) / 2;
  view = { from: middle - length / 2, to: middle + length / 2 };
  draw();
  later(250);
}
function zoom(factor, at = (view.from + view.to) / 2) {
  const length = limit((view.to - view.from) * factor, 10 * MINUTE, 300 * YEAR);
  const share = (at - view.from) / (view.to - view.from);
  show(at - length * share, at + length * (1 - share));
}
function pan(share) {
  const step = (view.to - view.from) * share;
  show(view.from + step, view.to + step);
}
function showAll() {
  const margin = Math.max((data.last - data.first) * 0.04, 30 * MINUTE);
  show(data.first - margin, data.last + margin);
}
function later(wait) {
  clearTimeout(timer);
  timer = setTimeout(() => htmx.trigger(form, "refresh"), wait);
}

// --- The drawing ---
function draw() {
  const width = chart.clientWidth;
  if (!data || !width) return;
  layers.ground.replaceChildren();
  layers.front.replaceChildren();
  layers.titles.replaceChildren();
  const seen = new Set();
  let top = TOP;
  for (const lane of listLanes()) {
    const height = lane.network && data.buckets.length ? drawBuckets(lane, top) : drawItems(lane, top, seen);
    layers.ground.prepend(make("rect", { x: 0, y: top, width, height, class: "timeline-lane" }));
    layers.titles.append(make("text", { x: 14, y: top + 17, class: `timeline-title ${lane.class}` }, lane.name));
    layers.ground.append(make("line", { x1: 0, x2: width, y1: top + height, y2: top + height, class: "timeline-rule" }));
    top += height;
  }
  assumed.hidden = !data.items.some(isTrueUnseen);
  if (!data.items.length && !data.buckets.length) {
    layers.ground.append(make("text", { x: width / 2, y: top + 44, class: "timeline-nothing" }, "Nothing in this window"));
    top += 90;
  }
  for (const [key, group] of drawn) if (!seen.has(key)) leave(key, group);
  drawAxis(width, top);
  drawMarks(top);
  svg.setAttribute("viewBox", `0 0 ${width} ${top}`);
  svg.setAttribute("width", width);
  svg.setAttribute("height", top);
}

function leave(key, group) {
  drawn.delete(key);
  group.classList.add("timeline-leaving");
  setTimeout(() => group.remove(), still ? 0 : 350);
}

// A pinned memory has a lane of its own, where it stays in place when it is not true. It vanishes when it is not known.
function listLanes() {
  const { pinned } = data;
  const lanes = listOtherLanes(pinned ? data.items.filter((item) => item.id !== pinned.id) : data.items);
  if (!pinned) return lanes;
  const own = pinned.is_unknown ? { name: "This memory: not known yet", class: "", items: [] }
    : { name: "This memory", class: `timeline-${pinned.network}`, items: [pinned] };
  return [own, ...lanes];
}

function listOtherLanes(items) {
  if (form.elements.lanes.value === "entity" && !data.buckets.length) {
    const known = new Set(data.entities.map((one) => one.id));
    const lanes = data.entities.map((one) => ({ name: one.name, class: "",
      items: items.filter((item) => item.entities.includes(one.id)) })).filter((lane) => lane.items.length);
    const others = items.filter((item) => !item.entities.some((id) => known.has(id)));
    return others.length ? [...lanes, { name: "Others", class: "", items: others }] : lanes;
  }
  return NETWORKS.map((name) => ({ name: name[0].toUpperCase() + name.slice(1), network: name, class: `timeline-${name}`,
    items: items.filter((item) => item.network === name) })).filter(
    (lane) => lane.items.length || data.buckets.some((one) => one.counts[lane.network]));
}

// The extent of an item in pixels. A state without a known end reaches the present, or the moment of knowing, and fades.
function measure(item, longest) {
  const open = item.since !== null && item.until === null;
  const start = place(item.since ?? item.at);
  const present = item.is_hidden ? data.now : data.known_at ?? data.now;
  const end = open ? place(Math.max(present, item.since)) : place(item.until ?? item.ended ?? item.since ?? item.at);
  const left = Math.max(start, 6);
  if (!longest) return { start, left: start, right: start, open };
  const most = item === data.pinned ? Math.max(chart.clientWidth - 28, LEAST_LABEL) : limit(chart.clientWidth - left - 24, LEAST_LABEL, longest);
  const label = shorten(item, most);
  const length = measureLabel(item, label);
  // Every label stays inside the chart, so one at the right edge begins before its bar.
  const text = limit(left - 2, item === data.pinned ? 14 : 4, Math.max(chart.clientWidth - length - 10, 14));
  return { start, end, left: Math.min(left, text + 2), right: Math.max(end + (open ? FADE : 0), text + length + 6), bar: left, open, label, text };
}

function pack(items, longest) {
  const ends = [];
  const placed = items.map((item) => {
    const extent = measure(item, longest);
    let row = ends.findIndex((end) => end < extent.left);
    if (row < 0) row = ends.length;
    ends[row] = extent.right + (longest ? GAP : DOT);
    return { item, row, ...extent };
  });
  return { placed, rows: ends.length };
}

function drawItems(lane, top, seen) {
  const visible = lane.items.filter((item) => item === data.pinned || place(item.since ?? item.at) < chart.clientWidth);
  visible.sort((one, other) => (one.since ?? one.at) - (other.since ?? other.at));
  const labelled = LABELS.map((longest) => pack(visible, longest)).find((one) => one.rows * LEAST_ROW <= LABELLED);
  const withLabel = labelled !== undefined;
  const { placed, rows } = labelled ?? pack(visible.filter((item) => place(item.since ?? item.at) >= 0), 0);
  const height = withLabel ? limit(LABELLED / rows, LEAST_ROW, ROW) : DOT;
  if (!withLabel) layers.titles.append(make("text", { x: 14 + measureText(lane.name, 11, 600) + 8, y: top + 17, class: "timeline-tick" },
    `${placed.length.toLocaleString()} memories. Zoom in to read them.`));
  for (const one of placed) {
    const key = `${lane.name}|${one.item.id}`;
    seen.add(key);
    drawItem(key, one, top + LANE_HEAD + one.row * height, height, withLabel);
  }
  return LANE_HEAD + Math.max(rows, 1) * height + 10;
}

function drawItem(key, one, y, height, withLabel) {
  let group = drawn.get(key);
  if (!group) {
    group = make("a", { href: address(one.item), tabindex: "-1" });
    layers.items.append(group);
    drawn.set(key, group);
  }
  const { item } = one;
  group.item = item;
  const isAssumed = isTrueUnseen(item);
  group.setAttribute("class", `timeline-item timeline-${item.network}${item.closed ? " timeline-over" : ""}${isAssumed ? " timeline-assumed" : ""}${
    item.closed === "correction" ? " timeline-wrong" : ""}${item === data.pinned ? " timeline-pinned" : ""}${
    item.is_hidden ? " timeline-hidden" : ""}${withLabel ? "" : " timeline-crowded"}`);
  group.setAttribute("transform", `translate(0 ${y.toFixed(1)})`);
  if (!withLabel) return group.replaceChildren(make("circle", { cx: one.start, cy: height / 2, r: height / 2 - 0.5, class: "timeline-dot" }));
  const thick = 5, middle = 20;
  const bar = { y: middle - thick / 2, height: thick, rx: thick / 2, class: "timeline-bar" };
  const parts = [make("rect", { x: one.left - 4, y: 0, width: one.right - one.left + 4, height: height - 2,
    class: "timeline-hit", rx: 6 })];
  if (one.end - one.bar > 3) parts.push(make("rect", { ...bar, x: one.bar, width: one.end - one.bar, fill: "currentColor" }));
  if (one.open && one.end > 0 && !item.is_hidden && !isAssumed) {
    parts.push(make("rect", { ...bar, x: Math.max(one.end, one.bar) - 2, width: FADE, rx: 0, fill: `url(#fade-${item.network})` }));
  }
  if (one.start >= 0) parts.push(make("circle", { cx: one.start, cy: middle, r: 4.5, class: "timeline-dot" }));
  parts.push(make("text", { x: one.text, y: 12, class: "timeline-label" }, one.label));
  group.replaceChildren(...parts);
}

// Without a known start a memory counts as true on the chosen day, although its bar begins later, when it was said.
const isTrueUnseen = (item) => data.as_of !== null && item.since > data.as_of && item.true_from === null && !item.is_hidden;

const address = (item) => `${chart.dataset.bank}${item.network === "opinion" ? "opinions" : "memories"}/${item.id}/`;

function drawBuckets(lane, top) {
  const height = 72;
  const most = Math.max(...data.buckets.map((one) => one.counts[lane.network] ?? 0), 1);
  for (const one of data.buckets) {
    const count = one.counts[lane.network];
    if (!count) continue;
    const left = place(one.from), width = Math.max(place(one.to) - left - 2, 1.5);
    const tall = Math.max((count / most) * (height - 6), 2);
    const bar = make("rect", { x: left, y: top + LANE_HEAD + height - tall, width, height: tall, rx: 2,
      class: `timeline-bucket ${lane.class}` });
    bar.append(make("title", {}, `${WRITE.full.format(one.from)}: ${count.toLocaleString()}`));
    bar.addEventListener("click", () => show(one.from, one.to));
    layers.front.append(bar);
  }
  return LANE_HEAD + height;
}

function listTicks(width) {
  const least = ((view.to - view.from) / width) * 84;
  const size = (length, kind) => (kind === "month" || kind === "year" ? length * 30.4 * DAY : length);
  const [length, kind] = TICKS.find(([one, of]) => size(one, of) >= least) ?? TICKS.at(-1);
  const ticks = [], day = new Date(view.from);
  day.setHours(0, 0, 0, 0);
  if (kind === "month" || kind === "year") {
    const months = Math.floor((day.getFullYear() * 12 + day.getMonth()) / length) * length;
    for (let at = months; ticks.length < 60; at += length) {
      const moment = new Date(0, 0, 1);
      moment.setFullYear(Math.floor(at / 12), at % 12, 1);
      if (moment > view.to) break;
      ticks.push([moment.getTime(), WRITE[kind].format(moment)]);
    }
  } else if (kind === "day") {
    if (length >= 7 * DAY) day.setDate(day.getDate() - ((day.getDay() + 6) % 7));
    for (; day.getTime() <= view.to && ticks.length < 60; day.setDate(day.getDate() + length / DAY)) {
      ticks.push([day.getTime(), WRITE.day.format(day)]);
    }
  } else {
    for (let at = day.getTime(); at <= view.to && ticks.length < 3000; at += length) {
      const isMidnight = new Date(at).getHours() === 0 && new Date(at).getMinutes() === 0;
      ticks.push([at, WRITE[isMidnight ? "day" : "minute"].format(at)]);
    }
  }
  return ticks.filter(([at]) => at >= view.from);
}

function drawAxis(width, bottom) {
  layers.ground.append(make("line", { x1: 0, x2: width, y1: TOP, y2: TOP, class: "timeline-rule" }));
  for (const [at, label] of listTicks(width)) {
    const x = place(at);
    layers.ground.append(make("line", { x1: x, x2: x, y1: 8, y2: bottom, class: "timeline-grid" }));
    if (x < width - 40) layers.ground.append(make("text", { x: x + 5, y: 18, class: "timeline-tick" }, label));
  }
}

function drawMarks(bottom) {
  const width = chart.clientWidth;
  if (data.known_at !== null && place(data.known_at) < width) {
    const x = Math.max(place(data.known_at), 0);
    layers.ground.append(make("rect", { x, y: TOP, width: width - x, height: bottom - TOP, class: "timeline-unknown" }));
  }
  // Each slider's label has a line of its own below the ticks. The one of today gives way to a slider's.
  const marks = [["now", data.now, "Today"], ["as_of", data.as_of, "True on this day"], ["known_at", data.known_at, "Known until here"]]
    .filter(([, at]) => at !== null && at >= view.from && at <= view.to).map(([name, at, label]) => ({ name, label, x: place(at) }));
  for (const { name, label, x } of marks) {
    const y = name === "as_of" ? TOP - 22 : TOP - 8;
    (data.buckets.length ? layers.front : layers.ground).append(make("line", { x1: x, x2: x, y1: y + 4, y2: bottom, class: `timeline-mark timeline-mark-${name}` }));
    if (name === "now" && marks.some((one) => one.name === "known_at" && Math.abs(one.x - x) < 130)) continue;
    const side = x + measureText(label, 11, 600) + 10 > width ? "end" : "start";
    layers.front.append(make("text", { x: x + { start: 4, end: -4 }[side], y, "text-anchor": side,
      class: `timeline-mark-label timeline-mark-${name}` }, label));
  }
}

// --- Time travel: the two sliders ---
const travels = [...form?.querySelectorAll("[data-travel]") ?? []].map((row) => ({ name: row.dataset.travel, row,
  slider: row.querySelector("[data-slider]"), input: row.querySelector("input[type=datetime-local]"), at: null, playing: 0 }));

function writeLocal(moment) {
  const shifted = new Date(moment - new Date(moment).getTimezoneOffset() * MINUTE);
  return shifted.toISOString().slice(0, 16);
}

function travelTo(travel, at, wait = 0) {
  travel.at = at;
  showTravel(travel);
  later(wait);
}

function showTravel(travel) {
  const shown = travel.at ?? data.ranges[travel.name][1];
  travel.slider.value = Math.round(shown / 1000);
  const text = travel.at === null ? travel.row.dataset.open : `on ${WRITE.full.format(shown)}`;
  travel.slider.setAttribute("aria-valuetext", text);
  travel.row.querySelector("[data-shown]").textContent = text;
  travel.input.value = travel.at === null ? "" : writeLocal(travel.at);
  travel.row.querySelector("[data-clear]")?.toggleAttribute("disabled", travel.at === null);
}

// The next moment at which the view changes. Backwards it is a second before the last change.
function findChange(travel, direction) {
  const moments = travel.name === "known_at" ? data.learned : data.changes;
  const at = travel.at ?? (travel.name === "known_at" ? data.now : data.last);
  if (data.buckets.length) return at + direction * data.step;
  if (direction > 0) return moments.find((one) => one > at) ?? null;
  const before = moments.findLast((one) => one <= at);
  if (before === undefined) return travel.at === null ? at - data.step : null;
  return before - 1000;
}

function play(travel) {
  if (travel.playing) return stop(travel);
  if (travel.at === null || findChange(travel, 1) === null) travel.at = data.ranges[travel.name][0];
  travel.playing = setInterval(() => {
    const next = findChange(travel, 1);
    if (next === null || next > data.last) {
      stop(travel);
      return travelTo(travel, null);
    }
    travelTo(travel, next);
  }, 700);
  showPlaying(travel);
  travelTo(travel, travel.at);
}
function stop(travel) {
  clearInterval(travel.playing);
  travel.playing = 0;
  showPlaying(travel);
}
function showPlaying(travel) {
  const button = travel.row.querySelector("[data-play]");
  button.setAttribute("aria-pressed", String(travel.playing !== 0));
  button.title = travel.playing ? "Pause" : "Play";
}

function startTravels() {
  for (const travel of travels) {
    const { row, slider, input } = travel;
    const [least, most] = data.ranges[travel.name], ends = row.querySelector("[data-ends]");
    slider.min = Math.floor(least / 1000);
    slider.max = Math.ceil(most / 1000);
    slider.step = Math.max(1, Math.round((slider.max - slider.min) / 2000));
    ends.firstElementChild.textContent = WRITE.date.format(least);
    ends.lastElementChild.textContent = WRITE.date.format(most);
    ends.hidden = row.querySelector("[data-buttons]").hidden = false;
    slider.addEventListener("input", () => {
      stop(travel);
      const at = Number(slider.value) * 1000;
      travelTo(travel, at >= most - Number(slider.step) * 1000 ? null : at); // the right end is no limit
    });
    input.addEventListener("change", () => {
      const at = new Date(input.value).getTime();
      travelTo(travel, Number.isNaN(at) ? null : at);
    });
    row.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      if ("play" in button.dataset) return play(travel);
      stop(travel);
      if ("now" in button.dataset) travelTo(travel, travel.name === "as_of" ? data.now : null);
      if ("clear" in button.dataset) travelTo(travel, null);
      if ("step" in button.dataset) {
        const next = findChange(travel, Number(button.dataset.step));
        if (next !== null) travelTo(travel, next);
        else if (Number(button.dataset.step) > 0) travelTo(travel, travel.name === "as_of" ? data.now : null);
      }
    });
    travel.at = data[travel.name];
    showTravel(travel);
  }
}

// --- Acts ---
function listen() {
  form.addEventListener("htmx:configRequest", (event) => {
    const parameters = event.detail.parameters;
    const whole = { from: new Date(view.from).toISOString(), to: new Date(view.to).toISOString() };
    for (const travel of travels) whole[travel.name] = travel.at === null ? "" : new Date(travel.at).toISOString();
    for (const [name, value] of Object.entries(whole)) {
      if (value) parameters.set(name, value);
      else parameters.delete(name);
    }
    if (parameters.getAll("network").length === NETWORKS.length) parameters.delete("network");
    if (parameters.get("lanes") === "network") parameters.delete("lanes");
  });
  document.addEventListener("htmx:afterSettle", (event) => { if (event.target.id === "timeline-result") read(); });
  document.addEventListener("click", (event) => {
    const { lanes, span, pan: share, zoom: factor, from, to, knownAt } = event.target.closest("button, a")?.dataset ?? {};
    if (lanes) {
      form.elements.lanes.value = lanes;
      for (const one of form.querySelectorAll("[data-lanes]")) one.setAttribute("aria-pressed", String(one.dataset.lanes === lanes));
      draw();
      later(0);
    }
    if (span === "all") showAll();
    else if (span) zoom(Number(span) / (view.to - view.from), findMiddle());
    if (share) pan(Number(share));
    if (factor) zoom(Number(factor));
    if (from && to) {
      event.preventDefault();
      show(Date.parse(from), Date.parse(to));
    }
    if (knownAt !== undefined) {
      event.preventDefault();
      travelTo(travels.find((one) => one.name === "known_at"), knownAt ? Date.parse(knownAt) : null);
    }
  });
  chart.addEventListener("wheel", (event) => { // alone it scrolls the page; to the side it moves the window
    const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (!isSideways && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const box = chart.getBoundingClientRect();
    if (isSideways) return pan(event.deltaX / box.width);
    zoom(1.0015 ** event.deltaY, view.from + ((event.clientX - box.left) / box.width) * (view.to - view.from));
  }, { passive: false });
  chart.addEventListener("keydown", (event) => {
    const act = { "+": () => zoom(0.6), "=": () => zoom(0.6), "-": () => zoom(1.6), ArrowLeft: () => pan(-0.2),
      ArrowRight: () => pan(0.2), Home: showAll }[event.key];
    if (!act || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act();
  });
  listenToPointer();
  addEventListener("resize", draw);
}

// A window of a new length is centred on the slider that is in use, else on the last memories in view, planned ones aside.
function findMiddle() {
  const moment = data.known_at ?? data.as_of;
  if (moment !== null && moment > view.from && moment < view.to) return moment;
  const inside = data.items.filter((item) => item.at >= view.from && item.at <= view.to);
  const past = inside.filter((item) => item.at <= Date.now());
  if (past.length) return past.at(-1).at;
  return inside.length ? inside.at(-1).at : (view.from + view.to) / 2;
}

function listenToPointer() {
  let start = null;
  chart.addEventListener("pointerdown", (event) => {
    if (event.button === 0) start = { x: event.clientX, from: view.from, to: view.to, moved: false };
  });
  addEventListener("pointermove", (event) => {
    if (!start) return showTip(event);
    const moved = event.clientX - start.x;
    if (!start.moved && Math.abs(moved) < 5) return;
    start.moved = true;
    tip.hidden = true;
    chart.classList.add("timeline-grabbed");
    const shift = (moved / chart.clientWidth) * (start.to - start.from);
    show(start.from - shift, start.to - shift);
  });
  addEventListener("pointerup", () => {
    if (start?.moved) chart.addEventListener("click", (event) => event.preventDefault(), { capture: true, once: true });
    setTimeout(() => chart.classList.remove("timeline-grabbed"));
    start = null;
  });
  chart.addEventListener("dragstart", (event) => event.preventDefault());
  chart.addEventListener("pointerleave", () => { tip.hidden = true; });
}

function showTip(event) {
  const { item } = event.target.closest?.(".timeline-item") ?? {};
  tip.hidden = !item;
  if (!item) return;
  const isState = item.since !== null;
  const begin = isState && item.true_from !== null ? `True from ${WRITE.full.format(item.true_from)}`
    : `${item.is_said ? SAID[item.network] ?? "Said" : "Happened"} on ${WRITE.full.format(item.at)}${isState ? ", where its bar begins: no start is known" : ""}`;
  const lines = [begin, `Learned on ${WRITE.full.format(item.learned)}`];
  if (item.until !== null) lines.splice(1, 0, `True until ${WRITE.full.format(item.until)}`);
  if (item.closed) lines.push({ correction: "Corrected: it never was true", source_removed: "Its source was removed" }[item.closed] ?? "Over");
  tip.replaceChildren(...[item.text, ...lines].map((text, number) => {
    const line = document.createElement("p");
    line.textContent = text;
    line.className = number ? "text-xs text-soft" : "memory-text text-sm mb-1";
    return line;
  }));
  const box = chart.parentElement.getBoundingClientRect();
  tip.style.left = `${limit(event.clientX - box.left + 14, 8, Math.max(box.width - tip.offsetWidth - 8, 8))}px`;
  tip.style.top = `${limit(event.clientY - box.top + 16, 8, Math.max(box.height - tip.offsetHeight - 8, 8))}px`;
}

function read() {
  data = JSON.parse(document.getElementById("timeline-data").textContent);
  draw();
}

if (form) {
  data = JSON.parse(document.getElementById("timeline-data").textContent);
  view = { from: data.from, to: data.to };
  svg = make("svg", { "aria-hidden": "true", class: "block select-none" });
  const fades = NETWORKS.map((name) => {
    const fade = make("linearGradient", { id: `fade-${name}` });
    fade.append(make("stop", { offset: 0, class: `timeline-stop timeline-${name}` }),
      make("stop", { offset: 1, class: `timeline-stop timeline-stop-end timeline-${name}` }));
    return fade;
  });
  const definitions = make("defs");
  definitions.append(...fades);
  layers = { ground: make("g"), items: make("g"), front: make("g"), titles: make("g") };
  svg.append(definitions, ...Object.values(layers));
  chart.append(svg);
  startTravels();
  listen();
  draw();
  document.fonts.ready.then(draw); // letters of another font have other widths
}
