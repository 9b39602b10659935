// Messages: one article each, in a log that keeps its place while it grows.

import * as api from "./api.js";
import { h, icon, unknown } from "./dom.js";
import { contextFor } from "./act.js";
import { drawBlocks } from "./blocks.js";
import { clock, dayKey, dayLabel, fullTime } from "./dates.js";
import { mrkdwn } from "./mrkdwn.js";
import { addNotice, noticesFor, placeNotices } from "./notices.js";
import { author, avatar, badge } from "./people.js";
import { reconcile } from "./reconcile.js";
import { hashOf } from "./router.js";
import { store } from "./store.js";
import { threadBar, whisperBar } from "./thread_bar.js";

const CLOSE_TOGETHER = 300;
const ONE_ANSWER = 5;

export const isReply = (message) => Boolean(message.thread_ts) && message.thread_ts !== message.ts;
export const isBroadcast = (message) => Boolean(message.broadcast) || message.subtype === "thread_broadcast";
const idOf = (message) => `${message.ephemeral ? "e" : "m"}${message.ts}`;

/** Draws `messages` into `log`. `route` says where; `inThread` leaves out what only the channel shows. */
export function drawMessages(log, messages, all, route, inThread) {
  const threads = inThread ? new Map() : repliesByThread(all, (one) => !one.ephemeral);
  const whispers = inThread ? new Map() : unseenWhispers(messages, all, route);
  const items = [];
  let previous = null;
  for (const message of messages) {
    if (!previous || dayKey(previous.ts) !== dayKey(message.ts)) items.push(dayItem(message.ts));
    items.push(messageItem(message, previous, threads.get(message.ts) ?? [], whispers.get(message.ts) ?? [], route, inThread));
    previous = message;
  }
  reconcile(log, items);
}

const heard = new Set();

/**
 * Answers for this person alone that lie in a thread which is not open, by the last message of that thread that the
 * channel shows: a click in the channel must not seem lost. What the app told in the channel too is seen there.
 */
function unseenWhispers(messages, all, route) {
  const found = new Map();
  for (const [thread, whispers] of repliesByThread(all, (one) => one.ephemeral)) {
    if (route.thread === thread) for (const one of whispers) heard.add(one.ts);
    const owner = messages.findLast((one) => (one.thread_ts ?? one.ts) === thread);
    const unheard = whispers.filter((one) => !heard.has(one.ts) && !messages.some((other) => isCopy(one, other)));
    if (owner && unheard.length) found.set(owner.ts, unheard);
  }
  return found;
}

const isCopy = (whisper, other) =>
  other.ephemeral && !isReply(other) && other.text === whisper.text && Math.abs(other.ts - whisper.ts) < ONE_ANSWER;

function repliesByThread(all, wanted) {
  const threads = new Map();
  for (const one of all) {
    if (!isReply(one) || !wanted(one)) continue;
    if (!threads.has(one.thread_ts)) threads.set(one.thread_ts, []);
    threads.get(one.thread_ts).push(one);
  }
  return threads;
}

function dayItem(ts) {
  const label = dayLabel(ts);
  return { key: `day-${dayKey(ts)}`, signature: label, build: () => h("div", { class: "day", role: "separator" }, h("span", {}, label)) };
}

function messageItem(message, previous, replies, whispers, route, inThread) {
  const place = { channel: route.place, ts: message.ts };
  const compact = Boolean(previous) && !message.ephemeral && !previous.ephemeral && !isBroadcast(message) && !isBroadcast(previous)
    && author(previous).id === author(message).id && message.ts - previous.ts < CLOSE_TOGETHER
    && dayKey(previous.ts) === dayKey(message.ts);
  const facts = [message, compact, replies.length, replies.at(-1)?.ts, whispers.length, noticesFor(place), store.as, route.message === message.ts];
  return {
    key: idOf(message),
    signature: JSON.stringify(facts),
    build: () => messageNode({ message, compact, replies, whispers, place, route, inThread }),
  };
}

function messageNode({ message, compact, replies, whispers, place, route, inThread }) {
  const who = author(message);
  const classes = ["message", compact && "compact", message.ephemeral && "ephemeral", route.message === message.ts && "pointed"];
  const content = h("div", { class: "message-content" },
    message.ephemeral && h("div", { class: "only-you" }, icon("eye"), "Only visible to you"),
    !inThread && isBroadcast(message) && broadcastLine(message, route),
    compact ? null : head(message, who),
    body(message, place),
    !inThread && replies.length > 0 && threadBar(message, replies, route),
    whispers.length > 0 && whisperBar(message, whispers, route));
  placeNotices(content, place);
  return h("article", { class: classes.filter(Boolean).join(" "), tabindex: "-1", "aria-label": `${who.name}, ${clock(message.ts)}`, "data-ts": message.ts },
    h("div", { class: "message-side" }, compact ? time(message) : avatar(who)),
    content,
    !message.ephemeral && toolbar(message, route, place, inThread));
}

const time = (message) => h("time", { class: "time", title: fullTime(message.ts) }, clock(message.ts));

function head(message, who) {
  return h("div", { class: "message-head" },
    h("span", { class: "author" }, who.name),
    who.isApp && h("span", { class: "badge badge-app" }, "APP"),
    badge(who.person),
    time(message));
}

function body(message, place) {
  const edited = message.edited ? h("span", { class: "edited", title: message.edited.ts ? fullTime(message.edited.ts) : null }, " (edited)") : null;
  const extras = [...(message.attachments ?? []).map((one) => unknown("Attachment", one)), ...(message.files ?? []).map(file)];
  if (message.blocks?.length) return [drawBlocks(message.blocks, contextFor(place)), extras, edited];
  return [h("div", { class: "mrkdwn" }, written(message.text), edited), extras];
}

/** A file, by its title; it opens in a window of its own. */
const file = (one) => h("p", { class: "file" },
  h("a", { href: one.url_private, target: "_blank", rel: "noopener" }, one.title), ` ${one.name}, ${one.size.toLocaleString()} bytes`);

/** Text nested deeper than can be parsed is shown as it came. */
function written(text) {
  try {
    return mrkdwn(text);
  } catch (problem) {
    console.warn("A text could not be parsed", problem);
    return String(text);
  }
}

/** An entry that the app has in the menu of every message. */
const shortcut = (one, place) =>
  h("button", { type: "button", class: "toolbar-button", "aria-label": one.name, title: one.name, onclick: () => use(one, place) }, icon("more"), h("span", {}, one.name));

async function use(one, place) {
  try {
    const answer = await api.post("shortcut", { as: store.as, ...place, callback_id: one.callback_id });
    if (answer?.ok === false) addNotice(place, api.sentence(answer));
  } catch (problem) {
    addNotice(place, `${problem.message} Nothing was sent; choose it again in a moment.`);
  }
}

const threadLink = (message, route) => hashOf({ as: store.as, place: route.place, thread: message.thread_ts ?? message.ts });

function broadcastLine(message, route) {
  return h("div", { class: "broadcast-line" }, icon("reply"), "replied to a ",
    h("a", { href: threadLink(message, route) }, "thread"));
}

function toolbar(message, route, place, inThread) {
  return h("div", { class: "toolbar" },
    (store.boot?.shortcuts ?? []).map((one) => shortcut(one, place)),
    !inThread && h("a", { class: "toolbar-button", href: threadLink(message, route) }, icon("reply"), h("span", {}, "Open thread")));
}
