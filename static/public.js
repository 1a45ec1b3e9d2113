// The pages for visitors: copy buttons on code, and results of the documentation's search while one types.
for (const block of document.querySelectorAll("pre.code")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy-code";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.textContent.trim());
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  const frame = document.createElement("div");
  frame.className = "code-frame";
  block.replaceWith(frame);
  frame.append(block, button);
}

// The side bar starts at the present page.
const pages = document.querySelector(".doc-pages");
const current = pages?.querySelector("[aria-current]");
if (current) pages.scrollTop = current.offsetTop - pages.offsetTop - 300;

const form = document.querySelector("[data-search]");
if (form) {
  // On the page of results they change in place; elsewhere they open below the field.
  const found = document.querySelector("#results") ?? form.querySelector("[data-found]");
  let waiting;
  let asked = 0;
  const show = async () => {
    const turn = ++asked;
    const query = form.q.value.trim();
    const page = await fetch(`${form.getAttribute("action")}?q=${encodeURIComponent(query)}`);
    const results = new DOMParser().parseFromString(await page.text(), "text/html").querySelector("#results");
    if (turn !== asked || !results) return;
    found.replaceChildren(...results.childNodes);
    found.hidden = found.matches("[data-found]") && !query;
  };
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(show, 150);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !event.target.closest("input, textarea, select")) {
      event.preventDefault();
      form.q.focus();
    }
    if (event.key === "Escape" && found.matches("[data-found]")) found.hidden = true;
  });
  document.addEventListener("click", (event) => {
    if (found.matches("[data-found]") && !form.contains(event.target)) found.hidden = true;
  });
}
