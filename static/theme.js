// Sets the theme before the first paint: the chosen one, else the system's.
const dark = matchMedia("(prefers-color-scheme: dark)");
const applyTheme = () => {
  document.documentElement.dataset.theme = localStorage.getItem("theme") ?? (dark.matches ? "dark" : "light");
  document.dispatchEvent(new Event("themechange"));
};
applyTheme();
dark.addEventListener("change", applyTheme);
