// The chat: sends a message, writes the answer as it comes, and shows what was recalled and what is being retained.
const sayForm = document.getElementById("say");
const talk = document.getElementById("talk");
const box = sayForm.elements.text;
const NO_MODEL = "No language model is configured, so I can't answer. What I remember about this is listed under “Recalled”.";
const [sayButton, stopButton] = sayForm.querySelectorAll("button");
const SHOWN = 6; // recalled memories, before the reader asks for more
let turns = 0;
let running = null;

function addBubble(name, text, own) {
  document.getElementById("hint")?.remove();
  const turn = make("div", `${own ? "self-end " : ""}max-w-[85%]`);
  turn.append(make("p", `mb-1 text-xs text-soft${own ? " text-right" : ""}`, name));
  const bubble = make("div", `bubble memory-text${own ? " bubble-own" : ""}`, text);
  turn.append(bubble);
  talk.append(turn);
  talk.scrollTop = talk.scrollHeight;
  return bubble;
}

function showRecalled(memories, side, numbers) {
  const list = document.getElementById("recalled");
  const [read, leftOut] = splitByRead(memories, numbers);
  document.getElementById("recalled-empty").hidden = true;
  const build = (entries) => entries.map(([number, memory]) => buildBasis(memory, number, side));
  document.getElementById("recalled-count").textContent = read.length > SHOWN ? `the first ${SHOWN} of ${read.length}` : read.length;
  list.replaceChildren(...build(read.slice(0, SHOWN)));
  for (const [name, entries] of [["more", read.slice(SHOWN)], ["left-out", leftOut]]) {
    document.getElementById(name).hidden = !entries.length;
    document.getElementById(`${name}-count`).textContent = entries.length;
    document.getElementById(`${name}-list`).replaceChildren(...build(entries));
  }
  if (!memories.size) list.append(make("li", "py-6 text-center text-sm text-soft", "Nothing in memory matches."));
}

// The server answers with the state of the operation, which asks for itself again until it has ended.
async function showRetaining(operationId) {
  document.getElementById("retained-empty").hidden = true;
  const address = sayForm.dataset.retained.replace(/[0-9a-f-]{36}\/$/, `${operationId}/`);
  const slot = make("li");
  document.getElementById("retained").prepend(slot);
  await htmx.ajax("GET", address, { target: slot, swap: "outerHTML" });
}

// A state of the page, not words of the agent.
function describeFailure(error) {
  if (error.name === "AbortError") return make("p", "mt-1 text-sm text-soft", "Stopped. Nothing was retained.");
  const reason = error.code?.startsWith("model_") ? `The language model failed: ${error.message}` : error.message;
  const alert = make("div", "alert alert-error mt-1", `${reason} Nothing was retained.`);
  alert.setAttribute("role", "alert");
  return alert;
}

async function send(text, signal) {
  const side = `turn${(turns += 1)}`;
  const memories = new Map();
  const fields = new FormData(sayForm);
  fields.set("text", text);
  addBubble(sayForm.dataset.speaker, text, true);
  const bubble = addBubble(sayForm.dataset.name, "", false);
  bubble.classList.add("caret");
  bubble.setAttribute("aria-busy", "true"); // a screen reader waits for the whole answer
  let answer = "";
  let writes = true;
  const render = () => {
    if (writes) writeCited(bubble, answer, memories, side);
    talk.scrollTop = talk.scrollHeight;
  };
  try {
    await readEvents(sayForm.dataset.stream, fields, {
      started: (data) => { writes = data.engine === "llm"; if (!writes) bubble.textContent = NO_MODEL; },
      memories: (data) => {
        for (const memory of data.memories) memories.set(Number(memory.mark.slice(1, -1)), memory);
        showRecalled(memories, side);
        render();
      },
      delta: (data) => { answer += data.text; bubble.classList.add("caret"); render(); },
      written: () => bubble.classList.remove("caret"),
      citation: () => {},
      done: (data) => { answer = data.text; writes = data.engine === "llm"; stopButton.disabled = true; render(); }, // it is retained now
      read: (data) => showRecalled(memories, side, data.numbers),
      retaining: (data) => showRetaining(data.operation_id),
    }, signal);
    const address = new URL(location.href);
    address.searchParams.set("chat", sayForm.elements.chat.value);
    history.replaceState(null, "", address);
  } catch (error) {
    bubble.after(describeFailure(error));
    if (!answer) for (const one of [bubble.previousElementSibling, bubble]) one.remove(); // the name too
    if (!answer && !box.value) box.value = text; // it can be sent again
  } finally {
    bubble.classList.remove("caret");
    bubble.removeAttribute("aria-busy");
  }
}

sayForm.addEventListener("submit", async (event) => {
  event.preventDefault();
  const text = box.value.trim();
  if (!text || running) return;
  box.value = "";
  running = new AbortController();
  sayButton.hidden = true;
  stopButton.hidden = stopButton.disabled = false;
  await send(text, running.signal);
  running = null;
  sayButton.hidden = false;
  stopButton.hidden = true;
  box.focus();
});
stopButton.addEventListener("click", () => running?.abort());
box.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  sayForm.requestSubmit();
});
talk.scrollTop = talk.scrollHeight;

offerQuestions(sayForm, box);
