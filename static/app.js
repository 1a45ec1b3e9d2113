// Sets the theme before the first paint: the chosen one, else the system's.
const dark = matchMedia("(prefers-color-scheme: dark)");
const apply = () => {
  document.documentElement.dataset.theme = localStorage.getItem("theme") ?? (dark.matches ? "dark" : "light");
};
apply();
dark.addEventListener("change", apply);
document.addEventListener("submit", (event) => {
  const question = event.target.dataset.confirm;
  if (question && !confirm(question)) event.preventDefault();
});
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-theme-choice]");
  if (button) {
    localStorage.setItem("theme", document.documentElement.dataset.theme === "dark" ? "light" : "dark");
    apply();
  }
  const copy = event.target.closest("[data-copy]");
  if (copy) {
    navigator.clipboard.writeText(document.querySelector(copy.dataset.copy).textContent.trim());
    copy.textContent = "Copied";
  }
});
