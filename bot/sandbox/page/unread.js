// What each person has not seen yet, remembered in this browser.

import { isBroadcast, isReply } from "./messages.js";
import { memory } from "./router.js";
import { store } from "./store.js";

const keyOf = (channel) => `read:${store.boot?.team?.id ?? ""}:${store.as}:${channel}`;

const inChannel = (channel) => (store.state.messages[channel] ?? []).filter((one) => !isReply(one) || isBroadcast(one));

export function unreadIn(channel) {
  const read = Number(memory.get(keyOf(channel)) ?? 0);
  return inChannel(channel).filter((one) => Number(one.ts) > read && one.user !== store.as).length;
}

export function markRead(channel) {
  const last = inChannel(channel).at(-1);
  if (last && document.visibilityState === "visible") memory.set(keyOf(channel), last.ts);
}
