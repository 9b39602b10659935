// What only Slack itself would say: an app that did not answer, a command that failed. Shown where one pressed.

import { h, icon } from "./dom.js";
import { store, changed } from "./store.js";

const dismissed = new Set();
const pressed = new Map();
const acquainted = new Set();
let ours = [];
let count = 0;

const keyOf = ({ channel, ts, view_id: view } = {}) => view ?? `${channel ?? ""}:${ts ?? ""}`;

/** Something failed here and the server may not have a notice of its own for it. */
export function addNotice(container, text) {
  ours.push({ id: `local-${++count}`, text, container });
  changed();
}

/** Notices for a message, a view, or (only a channel given) the channel as a whole. */
export function noticesFor(container) {
  const matches = (notice) => {
    const where = notice.container ?? {};
    if (container.view_id || container.ts) return keyOf(where) === keyOf(container);
    return !where.view_id && !where.ts && (!where.channel || where.channel === container.channel);
  };
  const open = (list) => list.filter((notice) => matches(notice) && !dismissed.has(notice.id));
  const theirs = open(store.state.notices);
  const seen = new Set();
  return (theirs.length ? theirs : open(ours)).slice(-3).filter(({ text }) => !seen.has(text) && seen.add(text));
}

/** What was said before this page was opened is over, as after a reload of Slack. */
export function skipOld() {
  if (acquainted.has(store.as)) return;
  acquainted.add(store.as);
  for (const notice of store.state.notices) dismissed.add(notice.id);
}

/** A new press: what was said about the last one is over. */
export function forget(container, focus = null) {
  for (const notice of noticesFor(container)) dismissed.add(notice.id);
  for (const notice of store.state.notices) if (keyOf(notice.container) === keyOf(container)) dismissed.add(notice.id);
  ours = ours.filter((notice) => !dismissed.has(notice.id));
  pressed.set(keyOf(container), focus);
}

export function noticeNode(notice) {
  return h("div", { class: "notice", role: "alert" }, icon("warning"), h("span", {}, notice.text.replace(/^⚠\uFE0F?\s*/u, "")),
    h("button", { type: "button", class: "notice-close", onclick: () => { dismissed.add(notice.id); changed(); } },
      icon("close"), h("span", { class: "visually-hidden" }, "Dismiss")));
}

/** Puts the notices of a container beside the element that was pressed, or below everything. */
export function placeNotices(root, container) {
  const notices = noticesFor(container);
  if (!notices.length) return;
  const focus = pressed.get(keyOf(container));
  const button = focus && [...root.querySelectorAll("[data-focus]")].find((node) => node.dataset.focus === focus);
  const row = button?.closest(".actions, .section, .input-block");
  for (const notice of notices) {
    const node = noticeNode(notice);
    if (row?.classList.contains("actions")) (button.closest(".overflow") ?? button).after(node);
    else if (row) row.after(node);
    else root.append(node);
  }
}
