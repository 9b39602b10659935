// Blocks: one drawing function per type. An unknown type is shown as it came.

import { append, h, icon, unknown } from "./dom.js";
import { element, imageElement } from "./elements.js";
import { inputBlock } from "./input_block.js";
import { markdown } from "./markdown.js";
import { alert, card, carousel, container, plan, table, taskCard } from "./panels.js";
import { richText } from "./richtext.js";
import { plain, textNodes } from "./text.js";

const DRAW = {
  section, header, divider: () => h("hr", { class: "divider" }), context, actions, image,
  context_actions: (block, ctx) => actions(block, ctx, "context-actions"),
  input: inputBlock,
  rich_text: richText,
  markdown: (block) => markdown(block.text),
  table, plan, alert, card, carousel, container,
  task_card: taskCard,
};

/** Draws all blocks of a message or view; `ctx.form` then knows exactly the fields that are seen. */
export function drawBlocks(blocks, ctx) {
  ctx.form.beginDrawing(ctx.values);
  return h("div", { class: "blocks" }, drawEach(blocks, ctx));
}

function drawEach(blocks, ctx) {
  return (blocks ?? []).map((block, index) => {
    // Slack gives every block an id; where one is missing, its place must do.
    const known = block?.block_id ? block : { ...block, block_id: `block-${index}` };
    return h("div", { class: `block block-${known.type}`, data: { block: known.block_id } }, one(known, ctx));
  });
}

function one(block, ctx) {
  const draw = Object.hasOwn(DRAW, block.type ?? "") ? DRAW[block.type] : null;
  if (!draw) return unknown("Block", block);
  try {
    return draw(block, { ...ctx, drawEach, element });
  } catch (problem) {
    // A block that is not shaped as its type says must not take the others with it.
    console.warn("A block could not be drawn", problem);
    return unknown("Block", block);
  }
}

function section(block, ctx) {
  const body = h("div", { class: "section-body" },
    block.text && h("div", { class: "mrkdwn" }, textNodes(block.text)),
    block.fields && h("div", { class: "section-fields" }, block.fields.map((one) => h("div", { class: "mrkdwn" }, textNodes(one)))));
  return h("div", { class: "section" }, body,
    block.accessory && h("div", { class: "accessory" }, element(block.accessory, block, ctx)));
}

function header(block) {
  return h("h3", { class: "block-title" }, plain(block.text));
}

function context(block) {
  return h("div", { class: "context" }, (block.elements ?? []).map((item) =>
    item.type === "image" ? imageElement(item) : h("span", { class: "mrkdwn" }, item.type === "mrkdwn" || item.type === "plain_text" ? textNodes(item) : unknown("Element", item))));
}

function actions(block, ctx, extra = "") {
  return h("div", { class: `actions ${extra}` }, (block.elements ?? []).map((item) => element(item, block, ctx)));
}

function image(block) {
  const from = block.image_url ?? block.slack_file?.url ?? block.slack_file?.id ?? "";
  return h("figure", { class: "image" },
    block.title && h("figcaption", {}, plain(block.title)),
    h("div", { class: "image-box", role: "img", "aria-label": block.alt_text || "image" },
      icon("image"), append(h("span", {}), [block.alt_text || "image"]), from && h("small", {}, from)));
}
