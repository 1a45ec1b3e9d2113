// The selection of the list: all rows of the page at once, and the number of selected ones.
function countSelected(form) {
  const boxes = [...form.querySelectorAll("input[name=id]")];
  const selected = boxes.filter((box) => box.checked).length;
  const counter = form.querySelector("[data-count]");
  if (counter) counter.textContent = selected;
  const all = form.querySelector("[data-all]");
  if (all) {
    all.checked = selected > 0 && selected === boxes.length;
    all.indeterminate = selected > 0 && selected < boxes.length;
  }
}

document.addEventListener("change", (event) => {
  const form = event.target.closest("[data-bulk]");
  if (!form) return;
  if (event.target.matches("[data-all]")) {
    for (const box of form.querySelectorAll("input[name=id]")) box.checked = event.target.checked;
  }
  countSelected(form);
});
