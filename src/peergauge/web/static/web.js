"use strict";
// Small conveniences; every screen works without them.

// Files can be dropped anywhere on the area around a file input. A file that is dropped beside it is
// ignored, because the browser would leave the page and open the file.
function dropArea(event) {
  if (!event.dataTransfer || !event.dataTransfer.types.includes("Files")) { return null; }
  const area = event.target.closest?.(".drop");
  if (!area && event.target.matches?.("input[type=file]")) { return null; }
  event.preventDefault();
  return area ?? null;
}
document.addEventListener("dragover", (event) => {
  const area = dropArea(event);
  if (area) {
    area.classList.add("over");
  } else if (event.defaultPrevented) {
    event.dataTransfer.dropEffect = "none";
  }
});
document.addEventListener("dragleave", (event) => {
  const area = event.target.closest?.(".drop");
  if (area && !area.contains(event.relatedTarget)) { area.classList.remove("over"); }
});
document.addEventListener("drop", (event) => {
  const area = dropArea(event);
  if (!area) { return; }
  area.classList.remove("over");
  const input = area.querySelector("input[type=file]");
  const given = new DataTransfer();
  const files = [...event.dataTransfer.files];
  for (const file of input.multiple ? files : files.slice(0, 1)) { given.items.add(file); }
  input.files = given.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
});

// What a reader has opened stays open when that part of the page is loaded again.
let openParts = new Set();
document.addEventListener("htmx:beforeSwap", (event) => {
  const open = event.detail.target.querySelectorAll("details[id][open]");
  openParts = new Set([...open].map((one) => one.id));
});
document.addEventListener("htmx:load", (event) => {
  for (const one of event.detail.elt.querySelectorAll("details[id]")) {
    if (openParts.has(one.id)) { one.open = true; }
  }
});

// A message must be seen, wherever the reader is on the page.
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target.id === "message") {
    event.detail.target.scrollIntoView({ block: "center" });
  }
});

// Forget the message about an earlier refusal when the next request begins.
document.addEventListener("htmx:beforeRequest", () => {
  const message = document.getElementById("message");
  if (message) { message.replaceChildren(); }
});

// What was chosen in a filter before the scripts were here, or what a browser restored, is applied.
document.addEventListener("DOMContentLoaded", () => {
  for (const form of document.querySelectorAll("form[hx-get][role=search]")) {
    if ([...form.elements].some(differs)) { form.requestSubmit(); }
  }
});
function differs(field) {
  if (field.matches("select")) {
    const first = [...field.options].findIndex((one) => one.defaultSelected);
    return field.selectedIndex !== Math.max(first, 0);
  }
  return field.matches("input") && field.value !== field.defaultValue;
}

// Whoever types an answer of their own chooses it.
document.addEventListener("input", (event) => {
  const typed = event.target;
  if (!typed.name?.startsWith("free:")) { return; }
  const own = typed.closest("fieldset").querySelector("input[type=radio][value='']");
  if (typed.value.trim()) { own.checked = true; }
});
