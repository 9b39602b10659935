// The person's stack of modals: the top one is shown, typed values outlive every redraw.

import * as api from "./api.js";
import { h, icon, uid } from "./dom.js";
import { contextFor } from "./act.js";
import { drawBlocks } from "./blocks.js";
import { openDialog } from "./dialog.js";
import { dropForm } from "./form.js";
import { complaints } from "./input_block.js";
import { addNotice, forget, noticesFor, placeNotices } from "./notices.js";
import { plain } from "./text.js";
import { changed, store } from "./store.js";
import { reconcile } from "./reconcile.js";

// Closed here, and the server does not know yet.
const leaving = new Set();
const errors = new Map();
const busy = new Set();
const names = new Map();
// Blocks that were changed since their errors were said: what was said of them may be over.
let amended = new Set();
let saidTimes = 0;
let shown = null;

export function drawModals() {
  const stack = store.state.views.filter((view) => !leaving.has(view.id));
  forgetGone();
  const top = stack.at(-1);
  if (shown && (!top || shown.key !== `${store.as}/${top.id}`)) {
    shown.dialog.dismiss();
    shown = null;
  }
  if (!top) return;
  shown ??= build(top);
  fill(top, stack);
}

function forgetGone() {
  if (!store.loaded) return;
  const alive = new Set(store.state.views.map((view) => view.id));
  for (const [id, { form, as }] of names) {
    if (alive.has(id) || as !== store.as) continue;
    dropForm(form);
    errors.delete(id);
    leaving.delete(id);
    names.delete(id);
  }
}

function build(view) {
  amended = new Set();
  const heading = uid("modal");
  const frame = h("form", { class: "dialog-form", novalidate: true });
  const parts = {
    key: `${store.as}/${view.id}`,
    dialog: openDialog({ labelledBy: heading, onescape: () => close([shown.view]) }, frame),
    head: h("header", { class: "dialog-head" }),
    body: h("div", { class: "dialog-body", tabindex: "-1" }),
    foot: h("footer", { class: "dialog-foot" }),
    heading,
    fresh: true,
  };
  frame.append(parts.head, parts.body, parts.foot);
  frame.addEventListener("submit", (event) => {
    event.preventDefault();
    submit(shown.view);
  });
  frame.addEventListener("input", (event) => amend(event.target.closest(".block")));
  return parts;
}

function fill(view, stack) {
  const { head, body, foot, heading } = shown;
  shown.view = view;
  const place = { view_id: view.id };
  const said = { ...view.errors, ...errors.get(view.id) };
  const open = Object.fromEntries(Object.entries(said).filter(([id]) => !amended.has(id)));
  const context = contextFor(place, { values: view.values, errors: open });
  names.set(view.id, { form: context.name, as: store.as });
  const keep = body.scrollTop;
  const notices = noticesFor(place);
  reconcile(head, [item("head", [view.title, stack.length], () => titleRow(view, stack, heading))]);
  reconcile(body, [item("body", [view.blocks, said, saidTimes, notices], () => content(view, context, place))]);
  reconcile(foot, [item("foot", [view.submit, view.close, busy.has(view.id)], () => buttons(view))]);
  body.scrollTop = keep;
  if (!shown.fresh) return;
  shown.fresh = false;
  focusFirst(shown);
}

const item = (key, facts, build) => ({ key, signature: JSON.stringify(facts), build });

function titleRow(view, stack, heading) {
  return h("div", { class: "dialog-title" },
    stack.length > 1 && h("button", { type: "button", class: "icon-button", onclick: () => close([view]) }, icon("back"), h("span", { class: "visually-hidden" }, "Back")),
    h("h2", { id: heading }, plain(view.title)),
    h("button", { type: "button", class: "icon-button", data: { focus: "x" }, onclick: () => close(stack, true) }, icon("close"), h("span", { class: "visually-hidden" }, "Dismiss")));
}

function content(view, context, place) {
  const known = new Set((view.blocks ?? []).flatMap((block) => [block, ...(block.child_blocks ?? [])]).map((block) => block.block_id));
  // An error for a block that is not there would otherwise be seen by nobody.
  const lost = Object.entries(context.errors).filter(([id]) => !known.has(id)).map(([, sentence]) => h("div", { class: "field-error", role: "alert" }, sentence));
  const node = h("div", { tabindex: "-1" }, lost, drawBlocks(view.blocks, context));
  placeNotices(node, place);
  return node;
}

function buttons(view) {
  const waiting = busy.has(view.id);
  return h("div", { class: "dialog-buttons" },
    h("button", { type: "button", class: "button", data: { focus: "close" }, onclick: () => close([view]) }, plain(view.close) || (view.submit ? "Cancel" : "Close")),
    view.submit && h("button", { type: "submit", class: "button button-primary", data: { focus: "submit" }, "aria-busy": waiting ? "true" : null }, h("span", {}, plain(view.submit))));
}

function focusFirst({ body, foot, dialog }) {
  const field = body.querySelector("[data-autofocus]") ?? body.querySelector("input, textarea, select");
  (field ?? foot.querySelector("button") ?? dialog).focus();
}

/** Takes the error away from a block that is being changed; without a redraw, which would disturb the typing. */
function amend(block) {
  if (!block?.querySelector(".field-error")) return;
  amended.add(block.dataset.block);
  block.querySelector(".field-error").remove();
  block.querySelector(".has-error").classList.remove("has-error");
  for (const field of block.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
}

async function submit(view) {
  if (busy.has(view.id)) return;
  const place = { view_id: view.id };
  const { form } = contextFor(place);
  forget(place);
  const found = complaints(view.blocks, form);
  errors.set(view.id, found);
  if (Object.keys(found).length) return showErrors();
  busy.add(view.id);
  changed();
  try {
    const answer = await api.post("submit", { as: store.as, view_id: view.id, state: form.state() });
    if (answer?.ok === false && answer.errors) errors.set(view.id, answer.errors);
    else if (answer?.ok === false) addNotice(place, api.sentence(answer));
  } catch (problem) {
    addNotice(place, `${problem.message} Nothing is lost; submit again in a moment.`);
  }
  busy.delete(view.id);
  showErrors();
}

function showErrors() {
  amended = new Set();
  saidTimes += 1;
  changed();
  shown?.body.querySelector("[aria-invalid='true'], .has-error input")?.focus();
}

async function close(views, whole = false) {
  const top = views.at(-1);
  for (const view of views) leaving.add(view.id);
  changed();
  try {
    const answer = await api.post("close", { as: store.as, view_id: top.id, whole_stack: whole && views.length > 1 });
    if (answer?.ok === false) throw new Error(api.sentence(answer));
  } catch (problem) {
    for (const view of views) leaving.delete(view.id);
    addNotice({ view_id: top.id }, `It could not be closed: ${problem.message}`);
  }
}
