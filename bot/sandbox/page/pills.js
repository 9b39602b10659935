// Mentions. A broadcast is loud on purpose: an injected one has to be seen.

import { h } from "./dom.js";
import { channelName, nameOf } from "./people.js";

let me = null;
export const setReader = (userId) => { me = userId; };

export function userPill(id) {
  return h("span", { class: id === me ? "pill pill-me" : "pill", title: id }, `@${nameOf(id)}`);
}

export const channelPill = (id, label) => h("span", { class: "pill", title: id }, `#${channelName(id) === id ? label || id : channelName(id)}`);
export const groupPill = (id, label) => h("span", { class: "pill", title: id }, label || `@${id}`);

export const broadcastPill = (range) =>
  h("span", { class: "pill pill-broadcast", title: "Notifies everybody here" }, `@${range}`);

/** What stands between < and > in Slack's text, as a node; null where it is no token. */
export function tokenNode(inner) {
  const bar = inner.indexOf("|");
  const target = bar < 0 ? inner : inner.slice(0, bar);
  const label = bar < 0 ? "" : inner.slice(bar + 1);
  const kinds = [
    [/^@([UW][A-Z0-9]+)$/, (id) => userPill(id)],
    [/^#([CGD][A-Z0-9]+)$/, (id) => channelPill(id, label)],
    [/^!subteam\^(\w+)$/, (id) => groupPill(id, label)],
    [/^!(here|channel|everyone)$/, (range) => broadcastPill(range)],
  ];
  for (const [pattern, build] of kinds) {
    const match = pattern.exec(target);
    if (match) return build(match[1]);
  }
  return null;
}
