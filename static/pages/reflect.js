// The reflect playground: one answer, or the same question under two dispositions at once.
const form = document.getElementById("ask");
const words = JSON.parse(document.getElementById("traits").textContent);
const biases = JSON.parse(document.getElementById("biases").textContent);
let running = null;
let startedAt = 0;

function describe(slider) {
  const value = Number(slider.value);
  const name = slider.dataset.trait;
  const text = name === "bias_strength" ? biases[Math.round(value * 20)] : words[name][value - 1];
  slider.closest("[data-slider]").querySelector("[data-words]").textContent = text;
  slider.closest("[data-slider]").querySelector("[data-value]").textContent = name === "bias_strength" ? `${Math.round(value * 100)} %` : `${value} of 5`;
}
for (const slider of form.querySelectorAll("[data-trait]")) {
  describe(slider);
  slider.addEventListener("input", () => describe(slider));
}

function writeAddress() {
  const given = new URLSearchParams(new FormData(form));
  given.delete("csrfmiddlewaretoken");
  if (!given.has("compare")) for (const name of [...given.keys()]) if (/^[ab]-/.test(name)) given.delete(name);
  history.replaceState(null, "", `?${given}`);
}

function buildFields(letter, tries) {
  const given = new FormData(form);
  const fields = new FormData();
  for (const name of ["csrfmiddlewaretoken", "query", "budget", "store"]) if (given.has(name)) fields.set(name, given.get(name));
  if (tries) {
    fields.set("tries", "on");
    for (const name of Object.keys(words).concat("bias_strength")) fields.set(name, given.get(`${letter}-${name}`));
  }
  return fields;
}

function showCost(part, done) {
  part("cost").hidden = false;
  const { trace } = done;
  part("figures").textContent = `${(trace.duration_ms / 1000).toFixed(1)} s`;
  const most = Math.max(1, ...Object.values(trace.prompt_tokens));
  part("parts").replaceChildren(...Object.entries(trace.prompt_tokens).flatMap(([name, count]) => {
    const bar = make("progress", "bar h-1.5!");
    bar.max = most;
    bar.value = count;
    bar.setAttribute("aria-label", name);
    return [make("span", "text-soft first-letter:uppercase", name.replaceAll("_", " ")), bar, make("span", "figure", count.toLocaleString())];
  }));
  part("notes").replaceChildren(...trace.notes.map((note) => make("li", "", note)));
}

function writeSpent(spent) {
  const calls = `${spent.calls} call${spent.calls === 1 ? "" : "s"}`;
  const opinions = spent.for_opinions > 0 ? `, ${spent.for_opinions} of them for opinions` : "";
  return `, ${spent.tokens.toLocaleString()} tokens of the language model in ${calls}${opinions}${spent.cost ? `, ${spent.cost}` : ""}`;
}

function showOpinions(part, opinions) {
  if (!opinions.length) return;
  part("opinions").hidden = false;
  part("opinions-list").replaceChildren(...opinions.map((one) => {
    const item = make("li", "rounded-lg border border-line px-4 py-3");
    item.append(make("p", "memory-text text-sm", one.text));
    const line = make("p", "mt-1.5 flex flex-wrap items-center gap-x-3 text-xs text-soft");
    line.append(make("span", "badge badge-accent", one.outcome));
    const before = one.confidence_before == null ? "" : `${one.confidence_before.toFixed(2)} → `;
    line.append(make("span", "tabular-nums", `confidence ${before}${one.confidence.toFixed(2)}`));
    const open = make("a", "link", "Open");
    open.href = `${document.body.querySelector("[data-bank]").dataset.bank}opinions/${one.id}/`;
    open.setAttribute("aria-label", `Open the opinion: ${one.text}`);
    line.append(open);
    item.append(line);
    return item;
  }));
}

async function answer(letter, tries, signal) {
  const template = document.getElementById("answer").content.cloneNode(true);
  const section = template.querySelector("section");
  const part = (name) => section.querySelector(`[data-part="${name}"]`);
  section.setAttribute("aria-label", tries ? `Answer ${letter.toUpperCase()}` : "Answer");
  part("letter").hidden = !tries;
  part("letter").textContent = letter.toUpperCase();
  document.getElementById("answers").append(template);
  const memories = new Map();
  const cited = new Set();
  let text = "";
  let model = "";
  let quotes = false; // the built-in engine's answer is a heading and quotes, which the list of memories shows
  const showWriting = (isWriting) => {
    part("text").classList.toggle("caret", isWriting);
    part("state").textContent = isWriting ? model : "looking for opinions";
  };
  const render = () => writeCited(part("text"), quotes ? text.split("\n", 1)[0] : text, memories, letter);
  try {
    await readEvents(form.dataset.stream, buildFields(letter, tries), {
      started: (data) => {
        quotes = data.engine !== "llm";
        part("body").toggleAttribute("data-quoted", quotes);
        model = quotes ? "quoted memories" : data.model;
        part("state").textContent = model;
      },
      memories: (data) => {
        for (const memory of data.memories) {
          const number = Number(memory.mark.slice(1, -1));
          memories.set(number, memory);
          part("read").append(buildBasis(memory, number, letter));
        }
        part("read-count").textContent = memories.size;
        part("sources").hidden = false;
        render();
      },
      delta: (data) => { text += data.text; showWriting(true); render(); },
      written: () => showWriting(false),
      citation: (data) => {
        const number = Number(data.mark.slice(1, -1));
        cited.add(number);
        part("based-on").append(document.getElementById(`${letter}-${number}`));
        part("read-count").textContent = memories.size - cited.size;
        part("cited-count").textContent = cited.size;
      },
      opinions: (data) => showOpinions(part, data.opinions),
      done: (data) => {
        text = data.text;
        render();
        part("missing").hidden = !data.not_in_memory;
        part("cut").hidden = !data.truncated;
        part("text").classList.remove("caret");
        part("state").textContent = model;
        showCost(part, data);
      },
      read: (data) => {
        part("figures").append(writeSpent(data.spent));
        const [, leftOut] = splitByRead(memories, data.numbers);
        part("left-out-list").append(...leftOut.map(([number]) => document.getElementById(`${letter}-${number}`)));
        part("left-out-count").textContent = leftOut.length;
        part("left-out").hidden = !leftOut.length;
        part("read-count").textContent = memories.size - cited.size - leftOut.length;
      },
      prompt: (data) => {
        part("prompt-part").hidden = !data.messages.length;
        part("prompt").textContent = data.messages.map((one) => `${one.role.toUpperCase()}\n${one.content}`).join("\n\n");
      },
    }, signal);
  } catch (error) {
    const stopped = error.name === "AbortError";
    part("fault").hidden = false;
    part("state").textContent = stopped ? "stopped" : "failed";
    part("fault-text").textContent = stopped ? "Stopped. Nothing was stored." : error.message;
  } finally {
    part("text").classList.remove("caret");
    section.setAttribute("aria-busy", "false");
  }
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (running) return event.timeStamp - startedAt > 1000 && running.abort(); // the second click of a double click stops nothing
  startedAt = event.timeStamp;
  writeAddress();
  running = new AbortController();
  const compares = form.elements.compare.checked;
  document.getElementById("hint").hidden = true;
  const answers = document.getElementById("answers");
  answers.replaceChildren();
  answers.classList.toggle("xl:grid-cols-2", compares);
  const button = form.querySelector("[data-ask]");
  button.textContent = "Stop";
  const sides = compares ? ["a", "b"] : ["a"];
  await Promise.all(sides.map((letter) => answer(letter, compares, running.signal)));
  button.textContent = "Ask";
  running = null;
});
form.addEventListener("keydown", (event) => {
  const asks = event.target.name === "query" && !event.shiftKey && !event.isComposing;
  if (event.key !== "Enter" || !asks || running) return;
  event.preventDefault();
  form.requestSubmit();
});

offerQuestions(form, form.elements.query);
