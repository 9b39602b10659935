// Elements that choose: selects of every kind, radio buttons, checkboxes.

import { h, uid } from "./dom.js";
import { focusKey } from "./form.js";
import { botName, channels, people, realName } from "./people.js";
import { plain, textNodes } from "./text.js";

const option = (value, label) => ({ value, text: { type: "plain_text", text: label } });
const rooms = () => channels().filter((one) => !one.is_im).map((one) => option(one.id, `#${one.name}`));
const everybody = () => people().map((who) => option(who.id, realName(who)));
const conversations = () => [
  ...rooms(),
  ...channels().filter((one) => one.is_im).map((one) => option(one.id, `${botName()} (direct message)`)),
];

// slot: the key in state; ids: the value is an id and not an option object.
const SELECTS = {
  static_select: { slot: "selected_option", initial: "initial_option" },
  users_select: { slot: "selected_user", initial: "initial_user", ids: everybody },
  conversations_select: { slot: "selected_conversation", initial: "initial_conversation", ids: conversations },
  channels_select: { slot: "selected_channel", initial: "initial_channel", ids: rooms },
  radio_buttons: { slot: "selected_option", initial: "initial_option" },
  checkboxes: { slot: "selected_options", initial: "initial_options", many: true },
  multi_static_select: { slot: "selected_options", initial: "initial_options", many: true },
  multi_users_select: { slot: "selected_users", initial: "initial_users", ids: everybody, many: true },
  multi_conversations_select: { slot: "selected_conversations", initial: "initial_conversations", ids: conversations, many: true },
  multi_channels_select: { slot: "selected_channels", initial: "initial_channels", ids: rooms, many: true },
};

export const isChoice = (spec) => Boolean(SELECTS[spec.type]);

export function choiceField(spec, block, ctx) {
  const kind = SELECTS[spec.type];
  const empty = kind.many ? [] : null;
  const entry = ctx.form.seed(block.block_id, spec.action_id, { type: spec.type, [kind.slot]: spec[kind.initial] ?? empty });
  const choose = (value, node) => {
    ctx.form.set(block.block_id, spec.action_id, { type: spec.type, [kind.slot]: value });
    if (block.type !== "input" || block.dispatch_action) ctx.act(block.block_id, spec, { [kind.slot]: value }, node);
  };
  const parts = { spec, kind, block, ctx, choose, chosen: entry[kind.slot] };
  return kind.many || spec.type === "radio_buttons" ? ticks(parts) : dropdown(parts);
}

const optionsOf = ({ spec, kind }) => (kind.ids ? kind.ids() : spec.options ?? (spec.option_groups ?? []).flatMap((group) => group.options));
const idOf = (kind, value) => (kind.ids ? value : value?.value);
const fallbackName = (spec) => plain(spec.placeholder) || spec.type.replaceAll("_", " ");

function dropdown(parts) {
  const { spec, kind, block, ctx, choose, chosen } = parts;
  const one = (item) => h("option", { value: item.value }, plain(item.text));
  const groups = !kind.ids && !spec.options && spec.option_groups;
  const node = h("select", {
    class: "field", "aria-label": ctx.fieldId ? null : fallbackName(spec),
    data: { focus: focusKey(block.block_id, spec) }, ...ctx.fieldProps,
  },
    h("option", { value: "" }, plain(spec.placeholder) || "Choose…"),
    groups ? groups.map((group) => h("optgroup", { label: plain(group.label) }, group.options.map(one))) : optionsOf(parts).map(one));
  node.value = idOf(kind, chosen) ?? "";
  node.addEventListener("change", () => {
    const picked = optionsOf(parts).find((item) => item.value === node.value);
    choose(picked ? (kind.ids ? picked.value : picked) : null, node);
  });
  return node;
}

function ticks(parts) {
  const { spec, kind, ctx } = parts;
  const group = h("div", {
    class: spec.type.startsWith("multi_") ? "ticks ticks-box" : "ticks",
    role: kind.many ? "group" : "radiogroup",
    "aria-labelledby": ctx.labelId, "aria-label": ctx.labelId ? null : fallbackName(spec),
    "aria-describedby": ctx.fieldProps?.["aria-describedby"],
  });
  const name = uid("radio");
  const options = optionsOf(parts);
  const boxes = options.map((item) => tick(parts, item, name));
  group.append(...boxes.map((box) => box.row));
  group.addEventListener("change", () => {
    const picked = options.filter((_, index) => boxes[index].input.checked);
    limit(spec, boxes);
    const values = picked.map((item) => (kind.ids ? item.value : item));
    parts.choose(kind.many ? values : values[0] ?? null, group);
  });
  limit(spec, boxes);
  return group;
}

function tick({ spec, kind, block, chosen }, item, name) {
  const selected = [chosen].flat().some((value) => value && idOf(kind, value) === item.value);
  const input = h("input", {
    type: kind.many ? "checkbox" : "radio", name: kind.many ? null : name, checked: selected,
    data: { focus: `${focusKey(block.block_id, spec)}/${item.value}` },
  });
  const note = item.description ? h("span", { class: "tick-note" }, textNodes(item.description)) : null;
  return { input, row: h("label", { class: "tick" }, input, h("span", { class: "mrkdwn" }, textNodes(item.text), note)) };
}

function limit(spec, boxes) {
  if (!spec.max_selected_items) return;
  const full = boxes.filter((box) => box.input.checked).length >= spec.max_selected_items;
  for (const { input } of boxes) input.disabled = full && !input.checked;
}
