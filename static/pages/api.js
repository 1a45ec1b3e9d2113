// The API reference: a filter of its list while one types, and a form that sends an operation's request.
const filter = document.querySelector("[data-filter]");
if (filter && !filter.q.value) {
  const none = document.querySelector("[data-none]");
  const show = () => {
    const words = filter.q.value.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    for (const row of document.querySelectorAll("[data-words]")) {
      row.parentElement.hidden = !words.every((word) => row.dataset.words.includes(` ${word}`));
    }
    const groups = [...document.querySelectorAll("[data-group]")];
    for (const group of groups) group.hidden = !group.querySelector("li:not([hidden])");
    none.hidden = groups.some((group) => !group.hidden);
    const address = words.length ? `?q=${encodeURIComponent(filter.q.value.trim())}` : location.pathname;
    history.replaceState(null, "", address);
  };
  filter.addEventListener("input", show);
  filter.addEventListener("submit", (event) => event.preventDefault());
}

const request = document.querySelector("[data-try]");
if (request) {
  const { method, path, bodyType } = request.dataset;
  const key = request.querySelector("[data-key]");
  const outcome = request.querySelector("[data-outcome]");
  const answer = request.querySelector("[data-answer]");
  const MOST_CHARACTERS = 200_000;
  key.value = sessionStorage.getItem("api-key") ?? "";

  const build = () => {
    let address = path;
    const query = new URLSearchParams();
    const headers = new Headers({ Authorization: `Bearer ${key.value.trim()}` });
    for (const field of request.querySelectorAll("[data-place]")) {
      const value = field.value.trim();
      if (field.dataset.place === "path") address = address.replace(`{${field.name}}`, encodeURIComponent(value));
      else if (value && field.dataset.place === "query") query.append(field.name, value);
      else if (value) headers.set(field.name, value);
    }
    const body = request.querySelector("[data-body]")?.value;
    if (body) headers.set("Content-Type", bodyType);
    return [`${address}${query.size ? `?${query}` : ""}`, { method, headers, body, credentials: "omit" }];
  };
  const say = (text, tone) => {
    outcome.className = `badge badge-${tone} mt-4`;
    outcome.textContent = text;
  };
  const indent = (text) => {
    try {
      return JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      return text;
    }
  };
  request.addEventListener("submit", async (event) => {
    event.preventDefault();
    sessionStorage.setItem("api-key", key.value.trim());
    say("Waiting for the response …", "accent");
    const began = performance.now();
    try {
      const response = await fetch(...build());
      const text = await response.text();
      const taken = Math.round(performance.now() - began);
      say(`${response.status} ${response.statusText} in ${taken} ms`, response.ok ? "good" : "bad");
      answer.textContent = indent(text).slice(0, MOST_CHARACTERS);
      answer.hidden = !text;
    } catch {
      say("The request could not be sent. Check the key and the network.", "bad");
      answer.hidden = true;
    }
  });
}
