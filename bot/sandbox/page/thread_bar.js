// "3 replies": who answered, when last, and the way into the thread.

import { h, icon } from "./dom.js";
import { clock, dayKey, dayLabel } from "./dates.js";
import { mrkdwn } from "./mrkdwn.js";
import { author, avatar } from "./people.js";
import { go } from "./router.js";
import { store } from "./store.js";

export function threadBar(message, replies, route) {
  const authors = [...new Map(replies.map((one) => [author(one).id, author(one)])).values()].slice(0, 4);
  const last = replies.at(-1).ts;
  const when = dayKey(last) === dayKey(Date.now() / 1000) ? clock(last) : dayLabel(last);
  const words = replies.length === 1 ? "1 reply" : `${replies.length} replies`;
  const open = () => go({ as: store.as, place: route.place, thread: message.ts });
  return h("button", { type: "button", class: "thread-bar", onclick: open },
    authors.map((who) => avatar(who, "avatar-small")),
    h("span", { class: "thread-count" }, words),
    h("span", { class: "thread-last", "aria-hidden": "true" }, `Last reply ${when}`));
}

/** The last thing that was said to this person alone in that thread, and the way to it. */
export function whisperBar(message, whispers, route) {
  const last = whispers.at(-1);
  const open = () => go({ as: store.as, place: route.place, thread: message.thread_ts ?? message.ts, message: last.ts });
  const words = h("span", {}, mrkdwn(last.text)).textContent;
  return h("div", { class: "whisper" }, icon("eye"),
    h("div", {}, h("span", { class: "only-you" }, "Only visible to you, in the thread"), words),
    h("button", { type: "button", class: "button button-quiet", onclick: open }, "Open"));
}
