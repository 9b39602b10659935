// Elements that one presses: buttons, icon and feedback buttons, the overflow menu.
// `ctx` is the container's: {form, act(blockId, element, payload, node), labelledBy, reader}.

import { h, icon, safeUrl, uid, unknown } from "./dom.js";
import { confirmed } from "./confirm.js";
import { field, isField } from "./fields.js";
import { focusKey } from "./form.js";
import { plain } from "./text.js";

/** A node for any interactive or decorative element of a block. */
export function element(spec, block, ctx) {
  if (isField(spec)) return field(spec, block, ctx);
  switch (spec?.type) {
    case "button": case "workflow_button": return button(spec, block, ctx);
    case "icon_button": return iconButton(spec, block, ctx);
    case "feedback_buttons": return feedback(spec, block, ctx);
    case "overflow": return overflow(spec, block, ctx);
    case "image": return imageElement(spec);
    default: return unknown("Element", spec);
  }
}

/** Alt text in place of the picture: the sandbox fetches nothing from elsewhere. */
export const imageElement = (spec) =>
  h("span", { class: "image-mini", title: spec.image_url ?? "" }, icon("image"), h("span", {}, spec.alt_text || "image"));

const seenBy = (spec, ctx) => !spec.visible_to_user_ids?.length || spec.visible_to_user_ids.includes(ctx.reader);

function pressable(spec, block, ctx, { classes, content, payload, description }) {
  const node = h("button", {
    type: "button",
    class: classes,
    data: { focus: focusKey(block.block_id, spec) },
    // The name stays the words on the button, so that what is seen can be said; the longer text describes it.
    "aria-description": description || null,
    title: description || null,
  }, content);
  node.addEventListener("click", () => press(spec, block, ctx, node, payload));
  return node;
}

async function press(spec, block, ctx, node, payload) {
  // A second press while the first is on its way would only ask the same thing again.
  if (node.getAttribute("aria-busy") === "true") return;
  if (spec.confirm && !(await confirmed(spec.confirm))) return;
  const url = spec.url && safeUrl(spec.url);
  if (url) window.open(url, "_blank", "noopener");
  node.setAttribute("aria-busy", "true");
  try {
    await ctx.act(block.block_id, spec, payload, node);
  } finally {
    node.removeAttribute("aria-busy");
  }
}

function button(spec, block, ctx) {
  if (!seenBy(spec, ctx)) return null;
  const style = { primary: " button-primary", danger: " button-danger" }[spec.style] ?? "";
  return pressable(spec, block, ctx, {
    classes: `button${style}`,
    content: h("span", {}, plain(spec.text)),
    payload: { value: spec.value },
    description: spec.accessibility_label,
  });
}

function iconButton(spec, block, ctx) {
  if (!seenBy(spec, ctx)) return null;
  return pressable(spec, block, ctx, {
    classes: "button button-quiet",
    content: [icon(spec.icon), h("span", {}, plain(spec.text))],
    payload: { value: spec.value },
    description: spec.accessibility_label,
  });
}

function feedback(spec, block, ctx) {
  const one = (part, name) => part && pressable({ ...spec, type: "feedback_buttons" }, block, ctx, {
    classes: "button button-quiet",
    content: [icon(name), h("span", {}, plain(part.text))],
    payload: { value: part.value },
    description: part.accessibility_label,
  });
  return h("span", { class: "feedback" }, one(spec.positive_button, "up"), one(spec.negative_button, "down"));
}

function overflow(spec, block, ctx) {
  const id = uid("menu");
  const toggle = h("button", {
    type: "button", class: "button button-icon", "aria-haspopup": "menu", "aria-expanded": "false", "aria-controls": id,
    data: { focus: focusKey(block.block_id, spec) },
  }, icon("more"), h("span", { class: "visually-hidden" }, "More actions"));
  const choose = (option) => {
    show(false);
    toggle.focus();
    press({ ...spec, url: option.url }, block, ctx, toggle, { selected_option: option });
  };
  const items = (spec.options ?? []).map((option) =>
    h("button", { type: "button", role: "menuitem", class: "menu-item", onclick: () => choose(option) },
      h("span", {}, plain(option.text)),
      option.description && h("span", { class: "menu-note" }, plain(option.description))));
  const menu = h("div", { id, role: "menu", class: "menu", hidden: true }, items);
  const show = (open) => {
    menu.hidden = !open;
    toggle.setAttribute("aria-expanded", String(open));
    if (open) items[0]?.focus();
  };
  const wrap = h("span", { class: "overflow" }, toggle, menu);
  toggle.addEventListener("click", () => show(menu.hidden));
  wrap.addEventListener("focusout", (event) => { if (!wrap.contains(event.relatedTarget)) show(false); });
  wrap.addEventListener("keydown", (event) => menuKeys(event, items, menu, () => { show(false); toggle.focus(); }));
  return wrap;
}

function menuKeys(event, items, menu, close) {
  if (menu.hidden) return;
  const at = items.indexOf(document.activeElement);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) {
    event.preventDefault();
    items[(at + step + items.length) % items.length]?.focus();
  } else if (event.key === "Escape") {
    event.preventDefault();
    // In a modal the same key would close the whole form.
    event.stopPropagation();
    close();
  }
}
