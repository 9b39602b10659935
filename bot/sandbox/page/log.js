// The scrolling list itself: stays at the end while one reads there, never moves under somebody who scrolled up.

import { h } from "./dom.js";

const NEAR = 60;

/** A role=log element in a frame, with a button that appears when something new is out of sight. */
export function scrollingLog(label) {
  const log = h("div", { class: "log", role: "log", "aria-label": label, tabindex: "0" });
  const jump = h("button", { type: "button", class: "jump", hidden: true }, "New messages");
  const frame = h("div", { class: "log-frame" }, log, jump);
  const atEnd = () => log.scrollHeight - log.scrollTop - log.clientHeight < NEAR;
  const toEnd = () => { log.scrollTop = log.scrollHeight; };
  let follows = true;
  log.addEventListener("scroll", () => {
    follows = atEnd();
    if (follows) jump.hidden = true;
  });
  jump.addEventListener("click", toEnd);
  // The frame gets smaller when the composer grows or a phone's keyboard opens.
  new ResizeObserver(() => { if (follows) toEnd(); }).observe(log);
  return { frame, log, update: (draw) => update({ log, jump, toEnd, follows: () => follows }, draw) };
}

function update({ log, jump, toEnd, follows }, draw) {
  const last = log.lastElementChild?.dataset.key;
  const follow = follows();
  draw();
  if (follow) toEnd();
  else if (log.lastElementChild?.dataset.key !== last) jump.hidden = false;
}

/** Scrolls to the message that a link points at, once it is there. */
export function pointAt(log, ts) {
  const node = [...log.children].find((one) => one.dataset.ts === ts);
  node?.scrollIntoView({ block: "center" });
  return Boolean(node);
}
