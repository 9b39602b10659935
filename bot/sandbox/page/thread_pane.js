// The right side: one thread, its replies, a box to answer in.

import { h, icon } from "./dom.js";
import { composer } from "./composer.js";
import { pointAt, scrollingLog } from "./log.js";
import { drawMessages } from "./messages.js";
import { botName } from "./people.js";
import { go } from "./router.js";
import { store } from "./store.js";

const root = document.getElementById("thread");
let pane = null;

export function drawThread(route, channel) {
  const open = Boolean(route.thread && channel);
  document.getElementById("app").classList.toggle("with-thread", open);
  root.hidden = !open;
  if (!open) {
    root.replaceChildren();
    pane = null;
    return;
  }
  const name = `${store.as}/${channel.id}/${route.thread}`;
  if (pane?.name !== name) build(name, route, channel);
  const all = store.state.messages[channel.id] ?? [];
  const seen = all.filter((one) => one.ts === route.thread || one.thread_ts === route.thread);
  const hasRoot = seen.some((one) => one.ts === route.thread);
  const first = seen.find((one) => one.ts === route.thread);
  pane.title.textContent = first?.title || "Thread";
  pane.status.textContent = first?.status ? `${botName()} ${first.status}` : "";
  const offered = seen.length === 1 ? first?.prompts ?? [] : [];
  if (pane.prompts.childElementCount !== offered.length) {
    pane.prompts.replaceChildren(...offered.map((one) =>
      h("button", { type: "button", class: "button", onclick: () => pane.box.fill(one.message) }, one.title)));
  }
  pane.lost.hidden = hasRoot || !store.loaded;
  pane.log.update(() => drawMessages(pane.log.log, seen, all, { ...route, place: channel.id }, true));
  if (route.message && pane.pointed !== route.message && pointAt(pane.log.log, route.message)) pane.pointed = route.message;
}

function build(name, route, channel) {
  const close = () => go({ as: store.as, place: channel.id });
  const log = scrollingLog("Thread");
  const lost = h("p", { class: "not-member", hidden: true }, "The first message of this thread is gone or not visible to you.");
  const title = h("h2", {}, "Thread");
  const status = h("p", { class: "agent-status", role: "status" });
  const prompts = h("div", { class: "welcome-prompts thread-prompts", role: "group", "aria-label": "Suggested prompts" });
  const box = composer({ label: "Reply in thread", placeholder: "Reply…", sendLabel: "Send reply", place: { channel: channel.id, thread_ts: route.thread } });
  root.replaceChildren(
    h("header", { class: "pane-head" },
      h("div", { class: "pane-title" }, title, h("p", {}, channel.is_im ? botName() : `#${channel.name}`)),
      h("button", { type: "button", class: "icon-button", onclick: close }, icon("close"), h("span", { class: "visually-hidden" }, "Close thread"))),
    lost, h("div", { class: "pane-body" }, log.frame), prompts, status,
    channel.is_member === false || channel.is_archived ? h("p", { class: "not-member" }, "Nothing can be written here.") : box.root);
  pane = { name, log, lost, title, status, prompts, box, pointed: null };
}
