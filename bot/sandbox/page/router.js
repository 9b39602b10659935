// Where one is: #U…/C…/thread ts/message ts. A reload or a shared link lands in the same place.

export const HOME = "home";

/** {as, place, thread, message}; each may be missing. A link without a person keeps who one acts as. */
export function here() {
  const parts = location.hash.replace(/^#\/?/, "").split("/").map(decodeSafely).filter((part) => part !== "");
  const as = /^[UW]/.test(parts[0] ?? "") ? parts.shift() : null;
  const [place = null, thread = null, message = null] = parts;
  return { as, place, thread: isTs(thread) ? thread : null, message: isTs(message) ? message : null };
}

const isTs = (text) => /^\d+\.\d+$/.test(text ?? "");

function decodeSafely(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const hashOf = ({ as, place, thread, message }) =>
  `#${[as, place, thread, message].filter(Boolean).map(encodeURIComponent).join("/")}`;

export function go(route, { replace = false } = {}) {
  goTo(hashOf(route), replace);
}

/** The same by the hash itself, as a link has it. */
export function goTo(hash, replace = false) {
  if (hash === location.hash) return;
  if (replace) history.replaceState(null, "", hash);
  else history.pushState(null, "", hash);
  // At once, and not when the browser gets round to it: nobody may press in what the person before saw.
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

/** Slack's permalink (/archives/C…/p1700000000000100?thread_ts=…) as a place on this page. */
export function fromPermalink(url) {
  const match = /^\/archives\/(\w+)\/p(\d{10})(\d{6})$/.exec(url.pathname);
  if (!match) return null;
  const message = `${match[2]}.${match[3]}`;
  return { place: match[1], thread: url.searchParams.get("thread_ts") || message, message };
}

/** What outlives the tab is only a convenience; a browser that forbids it is fine. */
export const memory = {
  get(key, area = localStorage) {
    try { return area.getItem(`sandbox:${key}`); } catch { return null; }
  },
  set(key, value, area = localStorage) {
    try {
      if (value) area.setItem(`sandbox:${key}`, value);
      else area.removeItem(`sandbox:${key}`);
    } catch { /* private window */ }
  },
};
