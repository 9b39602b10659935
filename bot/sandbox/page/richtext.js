// rich_text blocks: sections, lists, quotes, preformatted, and what stands in them.

import { h, link, unknown } from "./dom.js";
import { emojiChar, fromCodePoints } from "./emoji.js";
import { formatDate } from "./dates.js";
import { broadcastPill, channelPill, groupPill, userPill } from "./pills.js";

/** Nodes for a rich_text block (or a cell, title or task output that is one). */
export function richText(block) {
  return h("div", { class: "rich" }, (block.elements ?? []).map(part));
}

function part(element) {
  const border = element.border ? " has-border" : "";
  switch (element.type) {
    case "rich_text_section":
      return h("div", { class: `rich-section${border}` }, inlines(element.elements));
    case "rich_text_preformatted":
      return h("pre", { class: "pre" }, inlines(element.elements));
    case "rich_text_quote":
      return h("blockquote", { class: "quote" }, inlines(element.elements));
    case "rich_text_list":
      return list(element, border);
    default:
      return unknown("Rich text part", element);
  }
}

// Slack sends a nested list as a neighbour with an `indent`, not as a child.
function list(element, border) {
  const ordered = element.style === "ordered";
  const level = Math.min(Number(element.indent) || 0, 8);
  const node = h(ordered ? "ol" : "ul", { class: `rich-list level-${level % 3}${border}` },
    (element.elements ?? []).map((item) =>
      h("li", {}, item.type === "rich_text_section" ? inlines(item.elements) : part(item))));
  if (ordered && element.offset) node.start = Number(element.offset) + 1;
  node.style.marginInlineStart = `${level * 1.6}em`;
  return node;
}

const inlines = (elements) => (elements ?? []).map(inlineNode);

function inlineNode(element) {
  return dress(bare(element), element.style);
}

function bare(element) {
  switch (element.type) {
    case "text": return element.text;
    case "link": return link(element.url, element.text || element.url);
    case "user": return userPill(element.user_id);
    case "usergroup": return groupPill(element.usergroup_id);
    case "channel": return channelPill(element.channel_id);
    case "broadcast": return broadcastPill(element.range);
    case "emoji": return emojiNode(element);
    case "date": return dateNode(element);
    case "color": return colour(element);
    default: return unknown("Text element", element);
  }
}

function emojiNode(element) {
  const char = (element.unicode && fromCodePoints(element.unicode)) || emojiChar(element.name);
  return char ? h("span", { class: "emoji", title: `:${element.name}:` }, char) : `:${element.name}:`;
}

function dateNode(element) {
  const shown = formatDate(element.timestamp, element.format) ?? element.fallback ?? String(element.timestamp);
  const time = h("time", { title: new Date(Number(element.timestamp) * 1000).toString() }, shown);
  return element.url ? link(element.url, time) : time;
}

function colour(element) {
  const chip = h("span", { class: "colour", "aria-hidden": "true" });
  if (/^#[0-9a-f]{3,8}$/i.test(element.value)) chip.style.background = element.value;
  return [chip, element.value];
}

const STYLES = [["code", "code"], ["bold", "strong"], ["italic", "em"], ["strike", "s"], ["underline", "u"], ["highlight", "mark"]];

function dress(node, style = {}) {
  let dressed = node;
  for (const [name, tag] of STYLES) {
    if (style?.[name]) dressed = h(tag, tag === "code" ? { class: "code" } : {}, dressed);
  }
  return dressed;
}
