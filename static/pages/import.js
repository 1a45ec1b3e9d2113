// The field for a file: dropping, the name of the chosen file, and its size before it is sent.
const importForm = document.querySelector("[data-import]");
const dropZone = importForm?.querySelector("[data-drop]");
const fileInput = importForm?.querySelector("input[type=file]");

function showFile() {
  const file = fileInput.files[0];
  importForm.querySelector("[data-file-name]").textContent = file ? file.name : "Drop a file here, or choose one";
  const isTooLarge = !!file && file.size > Number(importForm.dataset.mostBytes) - 4096; // the rest of the form
  importForm.querySelector("[data-too-large]").hidden = !isTooLarge;
  importForm.querySelector(".button-primary").disabled = isTooLarge;
}

if (importForm) {
  fileInput.addEventListener("change", showFile);
  for (const kind of ["dragover", "dragleave", "drop"]) {
    dropZone.addEventListener(kind, (event) => {
      event.preventDefault();
      dropZone.toggleAttribute("data-over", kind === "dragover");
      if (kind === "drop" && event.dataTransfer.files.length) {
        fileInput.files = event.dataTransfer.files;
        showFile();
      }
    });
  }
}
