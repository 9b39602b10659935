// Elements that hold a value: text, numbers, dates, choices. Each draws from the form and writes to it.

import { h } from "./dom.js";
import { choiceField, isChoice } from "./choices.js";
import { focusKey } from "./form.js";
import { plain } from "./text.js";

const INPUTS = {
  plain_text_input: { type: "text" },
  email_text_input: { type: "email" },
  url_text_input: { type: "url" },
  rich_text_input: { type: "text", slot: "rich_text_value" },
  // Not type=number: a browser hides what it cannot read as a number, and then it is lost.
  number_input: { type: "text", inputmode: "decimal" },
  datepicker: { type: "date", slot: "selected_date", initial: "initial_date" },
  timepicker: { type: "time", slot: "selected_time", initial: "initial_time" },
  datetimepicker: { type: "datetime-local", slot: "selected_date_time", initial: "initial_date_time" },
};

export const isField = (spec) => Boolean(spec && (INPUTS[spec.type] || isChoice(spec)));

/** Whether an entry of the form says nothing. */
export function isEmpty(entry) {
  const { type, ...slots } = entry ?? {};
  return Object.values(slots).every((value) => value === null || value === undefined || value === "" || value?.length === 0);
}

export function field(spec, block, ctx) {
  if (isChoice(spec)) return choiceField(spec, block, ctx);
  const kind = INPUTS[spec.type];
  const slot = kind.slot ?? "value";
  const initial = spec[kind.initial ?? "initial_value"];
  const entry = ctx.form.seed(block.block_id, spec.action_id, { type: spec.type, [slot]: initial ?? null });
  const tall = spec.multiline || spec.type === "rich_text_input";
  const node = h(tall ? "textarea" : "input", {
    class: "field",
    type: tall ? null : kind.type,
    rows: tall ? 4 : null,
    inputmode: kind.inputmode,
    placeholder: plain(spec.placeholder) || null,
    minlength: spec.min_length,
    maxlength: spec.max_length,
    autocomplete: "off",
    "aria-label": ctx.fieldId ? null : plain(spec.placeholder) || spec.type.replaceAll("_", " "),
    data: { focus: focusKey(block.block_id, spec) },
    ...ctx.fieldProps,
  });
  node.value = shown(spec, entry[slot]);
  const read = () => ctx.form.set(block.block_id, spec.action_id, { type: spec.type, [slot]: taken(spec, node.value) });
  node.addEventListener("input", read);
  if (ctx.fieldProps?.autofocus || spec.focus_on_load) node.dataset.autofocus = "1";
  dispatchEvents(spec, block, ctx, node, () => ({ [slot]: taken(spec, node.value) }));
  return spec.max_length && spec.type === "plain_text_input" && spec.max_length <= 500 ? counted(node, spec.max_length) : node;
}

function counted(node, limit) {
  const left = h("span", { class: "counter", "aria-hidden": "true" });
  const show = () => { left.textContent = node.value.length > limit * 0.6 ? `${limit - node.value.length} left` : ""; };
  node.addEventListener("input", show);
  show();
  return h("span", { class: "counted" }, node, left);
}

// Rich text is typed here without its styles.
const wordsOf = (part) => part.text ?? (part.elements ?? []).map(wordsOf).join(part.type === "rich_text" ? "\n" : "");

const pad = (number) => String(number).padStart(2, "0");

function shown(spec, value) {
  if (value === null || value === undefined) return "";
  if (spec.type === "rich_text_input") return wordsOf(value);
  if (spec.type !== "datetimepicker") return String(value);
  const date = new Date(value * 1000);
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}T${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

function taken(spec, text) {
  if (text === "") return null;
  if (spec.type === "rich_text_input") return { type: "rich_text", elements: [{ type: "rich_text_section", elements: [{ type: "text", text }] }] };
  if (spec.type !== "datetimepicker") return text;
  return Math.floor(new Date(text).getTime() / 1000);
}

/** When the app wants to hear of it: pickers outside an input block always, others with dispatch_action. */
function dispatchEvents(spec, block, ctx, node, payload) {
  const picker = spec.type.endsWith("picker");
  if (block.type === "input" && !block.dispatch_action) return;
  const triggers = spec.dispatch_action_config?.trigger_actions_on ?? ["on_enter_pressed"];
  const send = () => ctx.act(block.block_id, spec, payload(), node);
  if (picker) node.addEventListener("change", send);
  else if (triggers.includes("on_character_entered")) node.addEventListener("input", send);
  if (!picker && triggers.includes("on_enter_pressed")) {
    node.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing || (spec.multiline && event.shiftKey)) return;
      event.preventDefault();
      send();
    });
  }
}

/** What is wrong with an entry, as one sentence; null where nothing is. */
export function complaint(spec, entry, optional) {
  if (isEmpty(entry)) return optional ? null : "This field is needed.";
  const text = typeof entry.value === "string" ? entry.value : "";
  if (spec.type === "plain_text_input" && text.length < (spec.min_length ?? 0)) return `At least ${spec.min_length} characters, please.`;
  if (spec.type === "number_input") return numberComplaint(spec, text);
  if (spec.type === "email_text_input" && !/^\S+@\S+\.\S+$/.test(text)) return "This is not an e-mail address.";
  if (spec.type === "url_text_input" && !/^[a-z][\w+.-]*:\S+$/i.test(text)) return "This is not a web address; it starts with https://.";
  return null;
}

function numberComplaint(spec, text) {
  const pattern = spec.is_decimal_allowed ? /^[+-]?(\d+\.?\d*|\.\d+)$/ : /^[+-]?\d+$/;
  if (!pattern.test(text.trim())) return spec.is_decimal_allowed ? "This is not a number." : "This is not a whole number.";
  if (spec.min_value !== undefined && Number(text) < Number(spec.min_value)) return `At least ${spec.min_value}, please.`;
  if (spec.max_value !== undefined && Number(text) > Number(spec.max_value)) return `At most ${spec.max_value}, please.`;
  return null;
}
