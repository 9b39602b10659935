// An input block: label, field, hint, and what is wrong with it.

import { h, uid, unknown } from "./dom.js";
import { complaint, field, isField } from "./fields.js";
import { isChoice } from "./choices.js";
import { plain } from "./text.js";

const isGroup = (spec) => /^(checkboxes|radio_buttons|multi_)/.test(spec.type);

export function inputBlock(block, ctx) {
  const spec = block.element;
  if (!isField(spec)) return unknown("Input element", spec);
  const ids = { field: uid("field"), label: uid("label"), hint: uid("hint"), error: uid("error") };
  const problem = ctx.errors?.[block.block_id];
  const described = [block.optional && ids.label + "-optional", block.hint && ids.hint, problem && ids.error].filter(Boolean).join(" ");
  const fieldProps = {
    "aria-describedby": described || null,
    "aria-invalid": problem ? "true" : null,
    "aria-required": block.optional ? null : "true",
  };
  // Several boxes share a label by role=group; a single control has one of its own.
  const grouped = isChoice(spec) && isGroup(spec);
  const inner = grouped
    ? { ...ctx, labelId: ids.label, fieldId: ids.field, fieldProps }
    : { ...ctx, fieldId: ids.field, fieldProps: { id: ids.field, ...fieldProps } };
  const words = plain(block.label);
  return h("div", { class: problem ? "input-block has-error" : "input-block" },
    h("div", { class: "label-row" },
      grouped ? h("span", { id: ids.label, class: "label" }, words) : h("label", { id: ids.label, class: "label", for: ids.field }, words),
      block.optional && h("span", { id: `${ids.label}-optional`, class: "optional" }, "(optional)")),
    field(spec, block, inner),
    problem && h("div", { id: ids.error, class: "field-error", role: "alert" }, problem),
    block.hint && h("div", { id: ids.hint, class: "hint" }, plain(block.hint)));
}

/** What a look at the form finds before it is sent: {block_id: sentence}. */
export function complaints(blocks, form) {
  const found = {};
  for (const block of flat(blocks)) {
    if (block.type !== "input" || !isField(block.element)) continue;
    const sentence = complaint(block.element, form.get(block.block_id, block.element.action_id), block.optional);
    if (sentence) found[block.block_id] = sentence;
  }
  return found;
}

const flat = (blocks) => (blocks ?? []).flatMap((block) => [block, ...(block.child_blocks ?? [])]);
