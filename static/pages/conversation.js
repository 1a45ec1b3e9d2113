// The memory beside a message is lit while its words in the message have the pointer or the focus, and the other way round.
function light(event, isOn) {
  const mark = event.target.closest?.("[data-memory]");
  const card = mark ? document.getElementById(mark.dataset.memory) : event.target.closest?.(".from-message");
  if (!card) return;
  const marks = document.querySelectorAll(`[data-memory="${card.id}"]`);
  for (const one of [card, ...marks]) one.toggleAttribute("data-lit", isOn);
}
for (const name of ["mouseover", "focusin"]) document.addEventListener(name, (event) => light(event, true));
for (const name of ["mouseout", "focusout"]) document.addEventListener(name, (event) => light(event, false));
