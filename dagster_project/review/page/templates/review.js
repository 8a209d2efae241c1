// Keys for the review page. Everything here is also a link or a button.
"use strict";
(() => {
  const rows = [...document.querySelectorAll("[data-queue] .row")];
  const typing = (node) => node.closest("input, textarea, select, [contenteditable]") !== null;
  const move = (step) => {
    const at = rows.indexOf(document.activeElement);
    const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(Math.max(at + step, 0), rows.length - 1);
    rows[next].focus();
    rows[next].scrollIntoView({ block: "nearest" });
  };
  const follow = (selector) => {
    const link = document.querySelector(selector);
    if (link) link.click();
    return link !== null;
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || typing(event.target)) return;
    const key = event.key;
    if ((key === "j" || key === "k") && rows.length) {
      event.preventDefault();
      move(key === "j" ? 1 : -1);
    } else if (key === "q") {
      if (follow("a.brand")) event.preventDefault();
    } else if (/^[a-z0-9]$/.test(key)) {
      if (follow(`[data-key="${key}"]`)) event.preventDefault();
    }
  });
  if (rows.length && location.hash === "") rows[0].focus({ preventScroll: true });
})();
