// "3 replies": who answered, when last, and the way into the thread.

import { h } from "./dom.js";
import { clock, dayKey, dayLabel } from "./dates.js";
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
