// The larger blocks: table, plan and task cards, alert, card, carousel, container.

import { h, icon, link, unknown } from "./dom.js";
import { imageElement } from "./elements.js";
import { richText } from "./richtext.js";
import { textNodes } from "./text.js";

export function table(block) {
  const settings = block.column_settings ?? [];
  const [head, ...rest] = block.rows ?? [];
  const row = (cells, tag) => h("tr", {}, (cells ?? []).map((cell, column) => {
    const { align = "left", is_wrapped: wrapped } = settings[column] ?? {};
    return h(tag, { class: `align-${align}${wrapped ? "" : " nowrap"}` }, cellNodes(cell));
  }));
  return h("div", { class: "table-wrap" },
    h("table", {}, head && h("thead", {}, row(head, "th")), h("tbody", {}, rest.map((cells) => row(cells, "td")))));
}

function cellNodes(cell) {
  switch (cell?.type) {
    case "raw_text": return String(cell.text ?? "");
    case "raw_number": return String(cell.text ?? cell.value ?? cell.number ?? "");
    case "rich_text": return richText(cell);
    default: return unknown("Cell", cell);
  }
}

const STATUS = {
  pending: "waiting", in_progress: "in progress", complete: "done", error: "failed",
};

function statusMark(status) {
  const known = STATUS[status] ? status : "pending";
  return h("span", { class: `task-mark task-${known}`, role: "img", "aria-label": STATUS[known] },
    known === "complete" && icon("check"), known === "error" && icon("close"));
}

export function taskCard(block) {
  const sources = (block.sources ?? []).map((one) => h("li", {}, link(one.url, one.text || one.url)));
  const more = [
    block.details && h("div", { class: "task-details" }, richText(block.details)),
    block.output && h("div", { class: "task-output" }, richText(block.output)),
    sources.length > 0 && h("ul", { class: "task-sources" }, sources),
  ].filter(Boolean);
  return h("div", { class: "task-card" }, statusMark(block.status),
    h("div", { class: "task-body" },
      h("div", { class: "task-title" }, textNodes(block.title)),
      more));
}

export function plan(block) {
  return h("details", { class: "plan", open: true },
    h("summary", {}, h("span", { class: "plan-title" }, textNodes(block.title))),
    h("div", { class: "plan-tasks" }, (block.tasks ?? []).map(taskCard)));
}

const LEVELS = { default: "info", info: "info", warning: "warning", error: "warning", success: "check" };

export function alert(block) {
  const level = LEVELS[block.level] ? block.level : "default";
  return h("div", { class: `alert alert-${level}`, role: "note" }, icon(LEVELS[level]),
    h("div", { class: "mrkdwn" }, level !== "default" && h("span", { class: "visually-hidden" }, `${level}: `), textNodes(block.text)));
}

export function card(block, ctx) {
  const hero = block.hero_image && h("div", { class: "card-hero" }, imageElement(block.hero_image));
  const head = (block.title || block.subtitle || block.icon) && h("div", { class: "card-head" },
    block.icon && imageElement(block.icon),
    h("div", {},
      block.title && h("div", { class: "card-title mrkdwn" }, textNodes(block.title)),
      block.subtitle && h("div", { class: "card-subtitle mrkdwn" }, textNodes(block.subtitle))));
  return h("div", { class: "card" }, hero, head,
    block.body && h("div", { class: "card-text mrkdwn" }, textNodes(block.body)),
    block.actions && h("div", { class: "actions" }, block.actions.map((one) => ctx.element(one, block, ctx))),
    block.subtext && h("div", { class: "card-subtitle mrkdwn" }, textNodes(block.subtext)));
}

export function carousel(block, ctx) {
  return h("div", { class: "carousel", tabindex: "0", role: "group", "aria-label": "Cards" }, ctx.drawEach(block.elements, ctx));
}

export function container(block, ctx) {
  const title = block.rich_text_title ? richText(block.rich_text_title) : textNodes(block.title);
  const heading = [
    h("span", { class: "container-title" }, title),
    block.subtitle && h("span", { class: "container-subtitle" }, textNodes(block.subtitle)),
  ];
  const body = h("div", { class: "container-body" }, ctx.drawEach(block.child_blocks, ctx));
  if (!block.is_collapsible) {
    return h("div", { class: "container" }, h("div", { class: "container-head" }, heading), body);
  }
  const folded = ctx.folds?.get(block.block_id) ?? Boolean(block.default_collapsed);
  const node = h("details", { class: "container", open: !folded }, h("summary", { class: "container-head" }, heading), body);
  node.addEventListener("toggle", () => ctx.folds?.set(block.block_id, !node.open));
  return node;
}
