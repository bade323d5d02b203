// Comfort, and nothing that is needed: times in the reader's own zone, a slider that shows at once, a count of letters.
"use strict";
const zoned = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
for (const time of document.querySelectorAll("time[datetime]")) {
  const at = new Date(time.dateTime);
  if (!Number.isNaN(at.valueOf()) && time.firstChild) time.firstChild.textContent = `${zoned.format(at)} `;
}
for (const form of document.querySelectorAll("form[data-submit=change]")) {
  const slider = form.querySelector("input[type=range]"), output = form.querySelector("output");
  slider.addEventListener("input", () => { output.textContent = (slider.value > 0 ? "+" : "") + Number(slider.value).toFixed(1); });
  slider.addEventListener("change", () => form.requestSubmit());
}
for (const form of document.querySelectorAll("form.filters")) {
  for (const choice of form.querySelectorAll("select")) choice.addEventListener("change", () => form.requestSubmit());
}
for (const form of document.querySelectorAll("form[method=post]")) {
  form.addEventListener("submit", () => { setTimeout(() => { for (const b of form.querySelectorAll("button")) b.disabled = true; }); });
}
