// The box one types in. What is typed is kept until the server has it, over reloads and restarts too.

import * as api from "./api.js";
import { h, icon, uid } from "./dom.js";
import { forget } from "./notices.js";
import { memory } from "./router.js";
import { changed, store } from "./store.js";
import { suggestions, withTokens } from "./suggestions.js";

const TALLEST = 220;

/** A composer for `place` {channel, thread_ts?}. `label` names the box, `sendLabel` the button. */
export function composer({ label, placeholder, sendLabel, place }) {
  const as = store.as;
  const draftKey = `draft:${as}:${place.channel}:${place.thread_ts ?? ""}`;
  const ids = { box: uid("box"), status: uid("status") };
  const box = h("textarea", {
    id: ids.box, rows: 1, placeholder, "aria-label": label, autocomplete: "off", "aria-describedby": ids.status, "aria-autocomplete": "list",
  });
  const send = h("button", { type: "submit", class: "send", disabled: true }, icon("send"), h("span", { class: "visually-hidden" }, sendLabel));
  const status = h("div", { id: ids.status, class: "composer-status", role: "status" });
  const form = h("form", { class: "composer" }, box, send);
  const popup = suggestions(box, { commands: !place.thread_ts });
  const root = h("div", { class: "composer-area" }, popup.node, form, status);

  const refresh = () => {
    memory.set(draftKey, box.value, sessionStorage);
    send.disabled = !box.value.trim();
    box.style.height = "auto";
    box.style.height = `${Math.min(box.scrollHeight, TALLEST)}px`;
  };
  const fill = (text) => {
    box.value = text;
    box.dispatchEvent(new Event("input"));
    box.focus();
    box.setSelectionRange(text.length, text.length);
  };
  const giveBack = (text, reason) => {
    // Whoever typed on meanwhile keeps both.
    fill(box.value ? `${text}\n${box.value}` : text);
    status.textContent = reason;
    root.classList.add("failed");
  };

  box.value = memory.get(draftKey, sessionStorage) ?? "";
  box.addEventListener("input", () => {
    refresh();
    status.textContent = "";
    root.classList.remove("failed");
  });
  box.addEventListener("keydown", (event) => {
    if (popup.key(event)) return;
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit({ as, box, place, status, root, giveBack });
  });
  requestAnimationFrame(refresh);
  return { root, fill, focus: () => box.focus(), node: box };
}

async function submit({ as, box, place, status, root, giveBack }) {
  const text = box.value;
  if (!text.trim()) return;
  forget({ channel: place.channel });
  changed();
  box.value = "";
  box.dispatchEvent(new Event("input"));
  // Most answers come at once; only a slow one (a command that is not acked) needs a word.
  const slow = setTimeout(() => { status.textContent = "Sending…"; }, 400);
  try {
    const answer = await api.post("say", { as, ...place, text: withTokens(text.trim()) });
    clearTimeout(slow);
    status.textContent = "";
    // What Slack itself says about a command stands above the channel's box already.
    if (answer?.ok === false) giveBack(text, answer.warning && !place.thread_ts ? "" : api.sentence(answer));
  } catch {
    clearTimeout(slow);
    giveBack(text, "Not sent: the sandbox is away. Your text is kept; send it again when it is back.");
  }
}
