// What every page does: theme, copying, questions before an act, times in the reader's zone, the command palette.
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
const UNITS = [["year", 31557600], ["month", 2629800], ["week", 604800], ["day", 86400], ["hour", 3600], ["minute", 60]];

function writeRelative(moment) {
  const seconds = (moment - Date.now()) / 1000;
  const [unit, length] = UNITS.find(([, one]) => Math.abs(seconds) >= one) ?? ["second", 1];
  return Math.abs(seconds) < 45 ? "just now" : RELATIVE.format(Math.round(seconds / length), unit);
}

// <time datetime="…" data-when="full|day|relative"> holds UTC until this runs; the exact UTC stays in its title.
function localizeTimes(root) {
  for (const element of root.querySelectorAll("time[data-when]")) {
    const moment = new Date(element.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    const write = { day: () => DAY.format(moment), relative: () => writeRelative(moment) }[element.dataset.when];
    element.textContent = write ? write() : FULL.format(moment);
  }
}
localizeTimes(document);
// At once, also in a part that is swapped out of band: nobody sees the UTC.
for (const name of ["htmx:afterSwap", "htmx:oobAfterSwap"]) {
  document.addEventListener(name, (event) => localizeTimes(event.target.parentElement ?? document));
}
setInterval(() => localizeTimes(document), 60000);

// A form with data-confirm asks in a dialog first. data-confirm-action names the button, data-confirm-look="primary" is for a harmless act.
function ask(form) {
  const dialog = document.getElementById("confirm-dialog");
  if (!dialog) return confirm(form.dataset.confirm) && form.submit();
  dialog.querySelector("[data-question]").textContent = form.dataset.confirm;
  const button = dialog.querySelector("[data-accept]");
  button.textContent = form.dataset.confirmAction ?? "Continue";
  button.className = `button button-${form.dataset.confirmLook ?? "danger"}`;
  dialog.onclose = () => {
    if (dialog.returnValue !== "accept") return;
    form.dataset.confirmed = "yes";
    form.requestSubmit(form.querySelector("button:not([type=button])"));
  };
  dialog.returnValue = "";
  dialog.showModal();
}
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.dataset.confirm || form.dataset.confirmed) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  ask(form);
}, true);

// The token of the page is old once the person has signed in again in another tab. The cookie has the one of now. It is used for
// the same person only: a page of one account sends nothing in the name of another account.
const DRAFT = "draft", person = document.body.dataset.person;
if (person) localStorage.setItem("person", person);
const isSamePerson = () => !person || localStorage.getItem("person") === person;
const readCsrfToken = () => (isSamePerson() ? /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie)?.[1] : undefined);

// Input that a log-in interrupts comes back. As a form is sent, its fields are kept in this tab. A page without a person (the
// log-in, an expired form) marks them as not received. Then the page of the form fills them in again; another page forgets them.
function keepDraft(form) {
  const fields = [...form.elements].filter((one) => one.name && !["hidden", "password", "file", "submit"].includes(one.type))
    .map((one) => [one.name, one.value, one.checked === true]);
  try {
    sessionStorage.setItem(DRAFT, JSON.stringify({ person, page: location.pathname, action: form.getAttribute("action"), fields }));
  } catch { sessionStorage.removeItem(DRAFT); } // too long for the browser
}
// The focus is on the field to mend, or on the first one.
function showForm(dialog) {
  dialog.showModal();
  (dialog.querySelector("[aria-invalid=true]") ?? dialog.querySelector("input:not([type=hidden]), textarea, select"))?.focus();
}
function fillDraft(draft) {
  const form = [...document.forms].find((one) => one.method === "post" && one.getAttribute("action") === draft.action);
  if (!form) return;
  for (const [name, value, isChosen] of draft.fields) {
    const same = [...form.elements].filter((one) => one.name === name);
    for (const field of same) {
      if (field.type !== "checkbox" && field.type !== "radio") field.value = value;
      else if (field.value === value) field.checked = isChosen;
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
  }
  const dialog = form.closest("dialog:not([open])");
  if (dialog) showForm(dialog);
  const notice = document.createElement("p"); // in the page: a toast would cover the buttons of the form
  notice.className = `alert alert-info ${dialog ? "m-5 mb-0" : "mb-5"}`;
  notice.setAttribute("role", "status");
  notice.textContent = "Your session had ended. Your input is here again, and not saved yet.";
  (dialog ? form : document.querySelector("#content > div > div")).prepend(notice);
}
// A second click within three seconds sends a form no second time.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || event.defaultPrevented) return;
  if (form.dataset.isSent) return event.preventDefault();
  form.dataset.isSent = "yes";
  setTimeout(() => { delete form.dataset.isSent; }, 3000);
  if (person) keepDraft(form);
  const token = form.elements.csrfmiddlewaretoken;
  if (person && token) token.value = readCsrfToken() ?? token.value;
});
function returnDraft() {
  const draft = JSON.parse(sessionStorage.getItem(DRAFT) ?? "null");
  if (!draft) return;
  if (!person) return sessionStorage.setItem(DRAFT, JSON.stringify({ ...draft, isInterrupted: true }));
  sessionStorage.removeItem(DRAFT);
  if (draft.isInterrupted && draft.person === person && draft.page === location.pathname) fillDraft(draft);
}
returnDraft();

document.addEventListener("click", (event) => {
  const theme = event.target.closest("[data-theme-choice]");
  if (theme) {
    localStorage.setItem("theme", document.documentElement.dataset.theme === "dark" ? "light" : "dark");
    applyTheme();
  }
  const copy = event.target.closest("[data-copy]");
  if (copy) {
    navigator.clipboard.writeText(document.querySelector(copy.dataset.copy).textContent.trim());
    const label = copy.querySelector("[data-copy-label]") ?? copy;
    const before = label.textContent;
    label.textContent = "Copied";
    setTimeout(() => { label.textContent = before; }, 1500);
  }
  const open = event.target.closest("[data-open-dialog]");
  if (open) document.getElementById(open.dataset.openDialog)?.showModal();
  const close = event.target.closest("[data-close-dialog]");
  if (close) close.closest("dialog").close();
  if (event.target instanceof HTMLDialogElement) event.target.close(); // a click beside the dialog
});

// The menu may be longer than the window.
document.querySelector("nav[aria-label=Main] [aria-current=page]")?.scrollIntoView({ block: "nearest" });

// A dialog whose form came back with errors is shown again.
const opened = document.querySelector("dialog[data-open]");
if (opened) showForm(opened);

// The command palette: Ctrl-K or Cmd-K. The server answers a list of links; arrows and Enter choose.
const palette = document.getElementById("palette");
function movePalette(step) {
  const links = [...palette.querySelectorAll("[role=option]")];
  if (!links.length) return;
  const now = links.findIndex((link) => link.getAttribute("aria-selected") === "true");
  const next = (now + step + links.length) % links.length;
  links.forEach((link, place) => link.setAttribute("aria-selected", String(place === next)));
  links[next].scrollIntoView({ block: "nearest" });
  palette.querySelector("input").setAttribute("aria-activedescendant", links[next].id);
}
if (palette) {
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (palette.open) palette.close();
      else palette.showModal();
    }
    if (!palette.open) return;
    if (event.key === "Escape") { // at the first press; a search field would only be emptied
      event.preventDefault();
      palette.close();
    }
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      movePalette(event.key === "ArrowDown" ? 1 : -1);
    }
    if (event.key === "Enter") {
      event.preventDefault();
      palette.querySelector("[aria-selected=true]")?.click();
    }
  });
  palette.addEventListener("htmx:afterSettle", () => movePalette(palette.querySelector("[aria-selected=true]") ? 0 : 1));
}

// Escape closes the tenant switcher, and the meaning of a word.
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") document.activeElement?.closest(".hint")?.blur();
  const menu = event.key === "Escape" && document.querySelector("aside details[open]:not(nav *)");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

document.addEventListener("htmx:configRequest", (event) => {
  const token = readCsrfToken();
  if (token) event.detail.headers["X-CSRFToken"] = token;
});
document.addEventListener("htmx:responseError", (event) => {
  const status = event.detail.xhr.status;
  const text = { 403: isSamePerson() ? "You are not allowed to do this, or your session has ended."
      : "Another account has signed in in this browser. Open the page again.", 404: "This is no longer there.",
    429: "Too many requests. Wait a moment." }[status] ?? "The server could not answer. Try again.";
  showToast(text, "error");
});
document.addEventListener("htmx:sendError", () => showToast("The server can't be reached.", "error"));
function showToast(text, kind = "info") {
  const toasts = document.getElementById("toasts");
  if (!toasts) return;
  const toast = document.createElement("div");
  toast.className = `alert alert-${kind} shadow-card bg-surface`;
  toast.textContent = text;
  toasts.append(toast);
  setTimeout(() => toast.remove(), 6000);
}
window.showToast = showToast;

// Why a passkey could not be used. Without this, allauth tells the console alone.
const PASSKEY_FAULTS = {
  NotAllowedError: "No passkey was used. Try again, or sign in with your password.",
  SecurityError: "Passkeys do not work at this address, only at the service's own domain name.",
};
document.addEventListener("allauth.error", (event) => {
  event.preventDefault();
  document.getElementById("passkey-fault")?.remove();
  const fault = document.createElement("p");
  Object.assign(fault, { id: "passkey-fault", role: "alert", className: "alert alert-error mt-4" });
  fault.textContent = PASSKEY_FAULTS[event.detail.exception.name] ?? "The passkey could not be used. Try again.";
  document.querySelector("h1").after(fault);
});
