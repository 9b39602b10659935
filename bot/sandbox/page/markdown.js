// The markdown block, first half: lines into paragraphs, headings, lists, quotes, tables and code.

import { h } from "./dom.js";
import { markdownInline } from "./markdown_inline.js";
import { decode } from "./mrkdwn.js";

/** An element with the whole text of a markdown block drawn in it. */
export function markdown(text) {
  return h("div", { class: "markdown" }, blocksOf(String(text ?? "").replace(/\r\n?/g, "\n").split("\n"), 0));
}

const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])(?:\s+|$)/;
const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const QUOTE = /^ {0,3}(?:>|&gt;) ?/;
const DELIMITER = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

// Deeper than anybody reads; hostile text must not exhaust the stack.
const DEEPEST = 12;

function blocksOf(lines, depth) {
  if (depth > DEEPEST) return [lines.join("\n")];
  const nodes = [];
  for (let at = 0; at < lines.length;) {
    if (!lines[at].trim()) { at += 1; continue; }
    const [node, next] = blockAt(lines, at, depth);
    nodes.push(node);
    at = next;
  }
  return nodes;
}

function blockAt(lines, at, depth) {
  const line = lines[at];
  if (FENCE.test(line)) return fence(lines, at);
  const heading = HEADING.exec(line);
  if (heading) return [h(`h${Math.min(heading[1].length + 2, 6)}`, { class: `md-h${heading[1].length}` }, markdownInline(heading[2])), at + 1];
  if (RULE.test(line)) return [h("hr"), at + 1];
  if (QUOTE.test(line)) return quote(lines, at, depth);
  if (ITEM.test(line)) return list(lines, at, depth);
  if (isTable(lines, at)) return table(lines, at);
  return paragraph(lines, at);
}

function fence(lines, at) {
  const [, mark, language] = FENCE.exec(lines[at]);
  const closing = new RegExp(`^ {0,3}${mark[0]}{${mark.length},}\\s*$`);
  let end = at + 1;
  while (end < lines.length && !closing.test(lines[end])) end += 1;
  // Slack's texts arrive with & < > as entities, in code as well.
  const code = decode(lines.slice(at + 1, end).join("\n"));
  return [h("pre", { class: "pre", "data-language": language.trim() || null }, code), end + 1];
}

function quote(lines, at, depth) {
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end])) end += 1;
  return [h("blockquote", { class: "quote" }, blocksOf(lines.slice(at, end).map((line) => line.replace(QUOTE, "")), depth + 1)), end];
}

function list(lines, at, depth) {
  const first = ITEM.exec(lines[at]);
  const ordered = /\d/.test(first[2]);
  const items = [];
  let end = at;
  while (end < lines.length) {
    const match = ITEM.exec(lines[end]);
    const sibling = match && match[1].length <= first[1].length + 1 && /\d/.test(match[2]) === ordered && !RULE.test(lines[end]);
    if (!sibling) break;
    const [item, next] = itemLines(lines, end, match);
    items.push(item);
    end = next;
  }
  const node = h(ordered ? "ol" : "ul", { class: "rich-list" }, items.map((item) => listItem(item, depth)));
  if (ordered) node.start = Number.parseInt(first[2], 10);
  return [node, end];
}

/** The item's own lines, without its indentation, and where the next block begins. */
function itemLines(lines, at, match) {
  const inner = [lines[at].slice(match[0].length)];
  let end = at + 1;
  for (; end < lines.length; end += 1) {
    const line = lines[end];
    const indent = /^\s*/.exec(line)[0].length;
    if (!line.trim()) {
      const after = lines[end + 1] ?? "";
      const goesOn = after.trim() && (/^\s*/.exec(after)[0].length > match[1].length || ITEM.test(after));
      if (!goesOn) break;
      inner.push("");
    } else if (indent > match[1].length + 1) inner.push(line.slice(Math.min(indent, match[0].length)));
    else if (ITEM.test(line) || FENCE.test(line) || HEADING.test(line) || QUOTE.test(line) || RULE.test(line) || inner.at(-1) === "") break;
    else inner.push(line.trim());
  }
  return [inner, end];
}

function listItem(lines, depth) {
  const task = /^\[([ xX])\]\s+/.exec(lines[0]);
  if (task) lines[0] = lines[0].slice(task[0].length);
  const box = task && h("span", { class: "task-box", role: "img", "aria-label": task[1] === " " ? "open" : "done" }, task[1] === " " ? "☐" : "☑");
  return h("li", { class: task ? "task" : null }, box, blocksOf(lines, depth + 1));
}

const isTable = (lines, at) =>
  lines[at].includes("|") && at + 1 < lines.length && lines[at + 1].includes("-") && DELIMITER.test(lines[at + 1])
  && cells(lines[at]).length === cells(lines[at + 1]).length;

function cells(line) {
  const trimmed = line.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, "");
  return trimmed.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function table(lines, at) {
  const aligns = cells(lines[at + 1]).map((cell) => (cell.endsWith(":") ? (cell.startsWith(":") ? "center" : "right") : "left"));
  const row = (line, tag) => h("tr", {}, aligns.map((align, index) =>
    h(tag, { class: `align-${align}` }, markdownInline(cells(line)[index] ?? ""))));
  let end = at + 2;
  while (end < lines.length && lines[end].trim() && lines[end].includes("|")) end += 1;
  const body = lines.slice(at + 2, end).map((line) => row(line, "td"));
  return [h("div", { class: "table-wrap" }, h("table", {}, h("thead", {}, row(lines[at], "th")), h("tbody", {}, body))), end];
}

function paragraph(lines, at) {
  let end = at + 1;
  const stops = (line, index) => !line.trim() || FENCE.test(line) || HEADING.test(line) || QUOTE.test(line)
    || RULE.test(line) || ITEM.test(line) || isTable(lines, index);
  while (end < lines.length && !stops(lines[end], end)) end += 1;
  const text = lines.slice(at, end).map((line) => line.trim()).join("\n");
  return [h("p", {}, markdownInline(text)), end];
}
