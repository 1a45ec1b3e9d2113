// Reads the answers of the playgrounds: server-sent events of a POST, and texts with citations. Everything is text.
function make(tag, className = "", text = "") {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
}

const REFUSALS = {
  403: "You are not allowed to do this, or your session has ended. Sign in in another tab: what you typed stays here.",
  404: "This bank is no longer there.",
  429: "Too many requests. Wait a moment.",
};

// Calls handlers[name](data) for each event. The CSRF token is the one of now: signing in in another tab changes it. Throws an Error with a sentence for people, and with the code of the API if it has one.
async function readEvents(address, fields, handlers, signal) {
  const token = readCsrfToken();
  if (token) fields.set("csrfmiddlewaretoken", token);
  const response = await fetch(address, { method: "POST", body: fields, signal }).catch((error) => {
    throw error.name === "AbortError" ? error : new Error("The server can't be reached.");
  });
  const type = response.headers.get("Content-Type") ?? "";
  if (!type.startsWith("text/event-stream")) {
    const { detail = "", code = "" } = type.startsWith("application/json") ? await response.json() : {};
    throw Object.assign(new Error(detail || (response.redirected ? REFUSALS[403] : REFUSALS[response.status]) || "The server could not answer. Try again."), { code });
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    buffer += value;
    const blocks = buffer.split("\n\n");
    buffer = blocks.pop();
    for (const block of blocks) {
      const name = /^event: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (name === "error") {
        const { detail, code } = JSON.parse(data);
        throw Object.assign(new Error(detail), { code });
      }
      if (name && data) handlers[name]?.(JSON.parse(data));
    }
  }
}

// Models write **bold** and `code` whether they are asked to or not. Other marks of Markdown read well as they are.
function writeEmphasis(text) {
  return text.split(/(\*\*[^*\n]+\*\*|`[^`\n]+`)/).map((part, place) => {
    if (place % 2 === 0) return document.createTextNode(part);
    return part[0] === "`" ? make("code", "", part.slice(1, -1)) : make("strong", "", part.slice(2, -2));
  });
}

// A text whose marks [3] become links to the memories of these numbers. `memories` maps a number to its memory.
function writeCited(target, text, memories, side) {
  const parts = text.split(/\[(\d+)\]/);
  target.replaceChildren(...parts.flatMap((part, place) => {
    if (place % 2 === 0) return writeEmphasis(part);
    const memory = memories.get(Number(part));
    if (!memory) return document.createTextNode(`[${part}]`);
    const link = make("a", "cite", part);
    link.href = `#${side}-${part}`;
    link.title = memory.text.slice(0, 300);
    link.setAttribute("aria-label", `Memory ${part}`);
    return link;
  }));
}

// The memories that the model read, and those that were found and left out of its prompt, each with its number.
function splitByRead(memories, read) {
  const numbers = new Set(read ?? memories.keys());
  const entries = [...memories];
  return [entries.filter(([number]) => numbers.has(number)), entries.filter(([number]) => !numbers.has(number))];
}

// One memory of a list: its number, text, network, date, and a link to its page.
function buildBasis(memory, number, side) {
  const item = make("li", "basis py-1.5");
  item.id = `${side}-${number}`;
  item.tabIndex = -1;
  item.append(make("p", "memory-text text-sm leading-5.5", memory.text.slice(0, 2000)));
  const line = make("p", "mt-1 flex flex-wrap items-center gap-x-3 text-xs text-soft");
  line.append(make("span", "font-semibold tabular-nums", `[${number}]`));
  line.append(make("span", `network network-${memory.type ?? "chunk"}`, memory.type ?? "archive"));
  const time = make("time", "", memory.occurred_start ?? memory.mentioned_at);
  time.dateTime = memory.occurred_start ?? memory.mentioned_at;
  time.dataset.when = "day";
  time.title = time.dateTime;
  line.append(time);
  if (memory.confidence != null) line.append(make("span", "", `confidence ${memory.confidence.toFixed(2)}`));
  if (memory.kind === "unit") {
    const open = make("a", "link", "Open");
    open.href = `${document.body.querySelector("[data-bank]").dataset.bank}memories/${memory.memory_id}/`;
    open.setAttribute("aria-label", `Open memory ${number}`);
    line.append(open);
  }
  item.append(line);
  localizeTimes(item);
  return item;
}

// A citation lights its memory, and opens the list that holds it.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a.cite");
  if (!link) return;
  event.preventDefault();
  const target = document.querySelector(link.getAttribute("href"));
  if (!target) return;
  target.closest("details")?.setAttribute("open", "");
  document.querySelectorAll("[data-lit]").forEach((one) => delete one.dataset.lit);
  target.dataset.lit = "";
  target.scrollIntoView({ block: "nearest" });
  target.focus({ preventScroll: true });
});

// An example question fills the field, and asks at once.
function offerQuestions(form, field) {
  for (const button of document.querySelectorAll("[data-question]")) {
    button.addEventListener("click", () => {
      field.value = button.textContent;
      form.requestSubmit();
    });
  }
}
