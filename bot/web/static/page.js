// Comfort, and nothing that is needed: times in the reader's own zone, a slider that shows at once, answers as soon as they are there.
"use strict";
const zoned = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const inZone = (part) => {
  for (const time of part.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (!Number.isNaN(at.valueOf()) && time.firstChild) time.firstChild.textContent = `${zoned.format(at)} `;
  }
};
inZone(document);
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
const again = (part) => {
  if (!part || !part.dataset.again) return;
  setTimeout(async () => {
    try {
      const answer = await fetch(location.href);
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById(part.id);
      if (!answer.ok || !fresh) return;
      inZone(fresh);
      part.replaceWith(fresh);
      again(fresh);
    } catch { again(part); }
  }, Number(part.dataset.again));
};
again(document.querySelector("[data-again]"));
