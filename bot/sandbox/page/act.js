// The context that blocks are drawn with: where they stand, what was typed there, and how a press is sent.

import * as api from "./api.js";
import { focusKey, formOf } from "./form.js";
import { addNotice, forget } from "./notices.js";
import { store } from "./store.js";

const folds = new Map();

/** `place` is {channel, ts} or {view_id}. */
export function contextFor(place, extra = {}) {
  const name = `${store.as} ${place.view_id ?? `${place.channel} ${place.ts}`}`;
  if (!folds.has(name)) folds.set(name, new Map());
  const form = formOf(name);
  return {
    form,
    name,
    reader: store.as,
    folds: folds.get(name),
    act: (blockId, spec, payload, node) => act(place, form, blockId, spec, payload, node),
    ...extra,
  };
}

async function act(place, form, blockId, spec, payload, node) {
  forget(place, focusKey(blockId, spec));
  // Without a redraw, which would take the pressed button and its busy mark away.
  for (const old of node.closest(".blocks")?.parentNode.querySelectorAll(".notice") ?? []) old.remove();
  const known = Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined));
  const body = { as: store.as, ...place, block_id: blockId, action_id: spec.action_id, ...known, state: form.state() };
  try {
    const answer = await api.post("act", body);
    if (answer?.ok === false) addNotice(place, api.sentence(answer));
  } catch (problem) {
    addNotice(place, `${problem.message} Nothing was sent; press again in a moment.`);
  }
}
