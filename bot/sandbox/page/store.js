// What the page knows, and the long poll that keeps it true. Listeners draw from `store.state`.

import * as api from "./api.js";
import { setChannels, setDirectory } from "./people.js";

const EMPTY = { seq: -1, channels: [], messages: {}, views: [], home: null, notices: [] };
const PAUSE = [500, 1000, 2000, 3000];

export const store = { boot: null, state: EMPTY, loaded: false, online: true, as: null };
const listeners = new Set();
let polling = null;

export const onChange = (listener) => listeners.add(listener);
export const changed = () => { for (const listener of listeners) listener(); };

const sleep = (ms, signal) => new Promise((resolve) => {
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", () => { clearTimeout(timer); resolve(); });
});

/** Become that person: forget what the one before saw, poll as the new one. True where that is a change. */
export function actAs(userId) {
  if (store.as === userId && polling) return false;
  store.as = userId;
  store.state = EMPTY;
  store.loaded = false;
  polling?.abort();
  polling = new AbortController();
  poll(userId, polling.signal);
  return true;
}

async function poll(as, signal) {
  let failures = 0;
  while (!signal.aborted) {
    try {
      // After a gap everything is asked for anew: the server may have begun to count again.
      if (failures) await loadBoot();
      await once(as, signal, failures > 0);
      failures = 0;
    } catch (problem) {
      if (signal.aborted) return;
      if (!(problem instanceof api.Offline)) console.warn(problem);
      failures += 1;
      // One missed answer is a hiccup; only a second one is worth a word.
      if (failures > 1) setOnline(false);
      await sleep(PAUSE[Math.min(failures, PAUSE.length) - 1], signal);
    }
  }
}

async function once(as, signal, anew) {
  const began = performance.now();
  const answer = await api.state(as, anew ? -1 : store.state.seq, signal);
  if (signal.aborted) return;
  setOnline(true);
  if (answer?.ok === false) throw new Error(api.sentence(answer));
  if (answer && (anew || answer.seq !== store.state.seq || !store.loaded)) take(answer);
  // A server that answers at once with nothing new must not be asked in a tight loop.
  else if (performance.now() - began < 1000) await sleep(1000, signal);
}

function take(answer) {
  store.state = { ...EMPTY, ...answer };
  store.loaded = true;
  setChannels(store.state.channels);
  changed();
}

function setOnline(online) {
  if (store.online === online) return;
  store.online = online;
  changed();
}

/** Asks until the server is there. */
export async function loadBoot() {
  const answer = await api.boot();
  if (!answer?.people) throw new api.Offline("No workspace yet.");
  setDirectory(answer);
  store.boot = answer;
}

export async function bootPatiently() {
  for (let tries = 0; ; tries += 1) {
    try {
      return await loadBoot();
    } catch {
      store.online = false;
      changed();
      await new Promise((resolve) => { setTimeout(resolve, PAUSE[Math.min(tries, PAUSE.length - 1)]); });
    }
  }
}
