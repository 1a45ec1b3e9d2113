// The chart and the list of steps belong together: a point or a step that is pointed at marks its partner.
function markStep(number) {
  for (const point of document.querySelectorAll(".trajectory a[data-step]")) {
    if (point.dataset.step === number) point.setAttribute("aria-current", "true");
    else point.removeAttribute("aria-current");
  }
  for (const step of document.querySelectorAll(".belief-step")) step.toggleAttribute("data-shown", step.id === `step-${number}`);
}

function readStep(element) {
  const point = element.closest?.(".trajectory a[data-step]");
  return point ? point.dataset.step : element.closest?.(".belief-step")?.id.replace("step-", "");
}

for (const kind of ["pointerover", "focusin"]) {
  document.addEventListener(kind, (event) => {
    const number = readStep(event.target);
    if (number) markStep(number);
  });
}
if (location.hash.startsWith("#step-")) markStep(location.hash.slice(6));
