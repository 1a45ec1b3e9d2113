// Charts by uPlot. <div class="plot" data-chart="ID"> draws the JSON of <script type="application/json" id="ID">:
// {"x": [seconds, …], "series": [{"label": "Recalls", "values": […], "kind": "area|line|bars", "colour": 1}], "unit": "ms"}
// "stacked": true puts the series on top of each other. "utc": true writes days in UTC instead of the reader's zone.
const PALETTE = ["--chart-1", "--chart-2", "--chart-3", "--chart-4", "--chart-5", "--chart-6"];
const charts = new Map();
const UTC_DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });

function readColour(element, name) {
  return getComputedStyle(element).getPropertyValue(name).trim();
}

function fade(colour) {
  return `color-mix(in srgb, ${colour} 16%, transparent)`;
}

function buildSeries(element, one, place, unit) {
  const colour = readColour(element, PALETTE[(one.colour ?? place + 1) - 1]);
  const bars = one.kind === "bars" ? uPlot.paths.bars({ size: [0.7, 48], radius: 0.25 }) : uPlot.paths.spline();
  return {
    label: one.label, stroke: colour, width: one.kind === "bars" ? 0 : 1.75, paths: bars, points: { show: false },
    fill: one.kind === "bars" ? colour : one.kind === "area" ? fade(colour) : undefined,
    value: (_, __, ___, at) => (at == null ? "" : one.values[at] == null ? "–" : `${one.values[at].toLocaleString()}${unit ? ` ${unit}` : ""}`),
  };
}

// The first series is drawn first, so it reaches to the sum of all; each later one covers the lower part of it.
function stack(series) {
  return series.map((_, place) => series[0].values.map((__, at) => series.slice(place).reduce((sum, one) => sum + (one.values[at] ?? 0), 0)));
}

function drawChart(element) {
  const data = JSON.parse(document.getElementById(element.dataset.chart).textContent);
  charts.get(element)?.destroy();
  const axis = { stroke: readColour(element, "--faint"), grid: { stroke: readColour(element, "--line"), width: 1 }, ticks: { show: false },
    font: "12px Inter, sans-serif" };
  const options = {
    width: element.clientWidth, height: element.clientHeight || 220, padding: [12, 8, 0, 0],
    cursor: { y: false, points: { size: 6 } }, legend: { live: true, show: data.series.length > 1 || !!data.legend },
    scales: { x: { time: data.time !== false }, y: { range: (_, __, most) => [0, most > 0 ? most * 1.1 : 1] } },
    axes: [{ ...axis, grid: { show: false }, gap: 10, size: 40 }, { ...axis, size: 56, values: (_, all) => all.map((one) => one.toLocaleString(undefined, { notation: "compact" })) }],
    series: [{}, ...data.series.map((one, place) => buildSeries(element, one, place, data.unit))],
  };
  if (data.utc) {
    const write = (seconds) => UTC_DAY.format(new Date(seconds * 1000));
    options.tzDate = (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC");
    Object.assign(options.axes[0], { values: (_, all) => all.map(write), space: 72 });
    options.series[0] = { label: "Day", value: (_, seconds) => (seconds == null ? "" : write(seconds)) };
  }
  if (data.series.some((one) => one.kind === "bars") && data.x.length > 1) {
    const half = (data.x[1] - data.x[0]) / 2; // so that the first and the last bar are whole
    options.scales.x.range = (_, first, last) => [first - half, last + half];
  }
  const values = data.stacked ? stack(data.series) : data.series.map((one) => one.values);
  charts.set(element, new uPlot(options, [data.x, ...values], element));
}

function drawCharts(root = document) {
  for (const element of root.querySelectorAll("[data-chart]")) drawChart(element);
}

addEventListener("DOMContentLoaded", () => drawCharts());
document.addEventListener("themechange", () => drawCharts());
document.addEventListener("htmx:afterSettle", (event) => drawCharts(event.target.parentElement ?? document));
addEventListener("resize", () => {
  for (const [element, chart] of charts) chart.setSize({ width: element.clientWidth, height: chart.height });
});
