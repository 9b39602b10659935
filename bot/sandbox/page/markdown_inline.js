// The markdown block, second half: what stands inside a line.

import { h, link } from "./dom.js";
import { angle, decode, emoji } from "./mrkdwn.js";

const WORD = /[\p{L}\p{N}]/u;

export function markdownInline(text) {
  const nodes = [];
  let plain = "";
  for (let at = 0; at < text.length;) {
    const found = special(text, at);
    if (!found) {
      plain += text[at];
      at += 1;
      continue;
    }
    if (plain) nodes.push(decode(plain));
    plain = "";
    nodes.push(found.node);
    at = found.end;
  }
  if (plain) nodes.push(decode(plain));
  return nodes;
}

function special(text, at) {
  switch (text[at]) {
    case "\\": return escaped(text, at);
    case "`": return code(text, at);
    case "<": return angle(text, at);
    case "!": return image(text, at);
    case "[": return bracket(text, at);
    case "*": case "_": return emphasis(text, at);
    case "~": return strike(text, at);
    case ":": return emoji(text, at);
    case "h": case "H": return bareUrl(text, at);
    default: return null;
  }
}

function escaped(text, at) {
  return /[!-/:-@[-`{-~]/.test(text[at + 1] ?? "") ? { node: text[at + 1], end: at + 2 } : null;
}

function code(text, at) {
  const mark = /^`+/.exec(text.slice(at, at + 40))[0];
  let close = text.indexOf(mark, at + mark.length);
  while (close > 0 && (text[close + mark.length] === "`" || text[close - 1] === "`")) close = text.indexOf(mark, close + 1);
  if (close < 0) return { node: mark, end: at + mark.length };
  const inner = text.slice(at + mark.length, close).replaceAll("\n", " ");
  const trimmed = /^ .*[^ ].* $/.test(inner) ? inner.slice(1, -1) : inner;
  return { node: h("code", { class: "code" }, decode(trimmed)), end: close + mark.length };
}

function image(text, at) {
  const match = /^!\[([^\]\n]*)\]\(([^()\s]*(?:\([^()\s]*\))*[^()\s]*)\)/.exec(text.slice(at, at + 4000));
  // Pictures are never fetched; the words that describe one are what is left of it.
  return match && { node: h("span", { class: "inline-image", title: match[2] }, `image: ${match[1] || match[2]}`), end: at + match[0].length };
}

function bracket(text, at) {
  const match = /^\[((?:\\.|[^[\]\\]|\[[^\]]*\])+)\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\))*[^()\s<>]*)>?(?:\s+["'][^"']*["'])?\s*\)/.exec(text.slice(at, at + 4000));
  return match && { node: link(decode(match[2]), ...markdownInline(match[1])), end: at + match[0].length };
}

function emphasis(text, at) {
  const mark = text[at];
  const run = /^(\*+|_+)/.exec(text.slice(at, at + 4))[0];
  const size = Math.min(run.length, 3);
  const inWord = mark === "_" && at > 0 && WORD.test(text[at - 1]);
  if (inWord || /\s/.test(text[at + size] ?? " ")) return { node: run, end: at + run.length };
  for (let length = size; length > 0; length -= 1) {
    const close = closing(text, at + length, mark.repeat(length));
    if (close > 0) return { node: dress(length, markdownInline(text.slice(at + length, close))), end: close + length };
  }
  return { node: run, end: at + run.length };
}

function closing(text, from, mark) {
  for (let at = text.indexOf(mark, from + 1); at > 0; at = text.indexOf(mark, at + 1)) {
    const after = text[at + mark.length];
    const longer = after === mark[0] || (text[at - 1] === mark[0] && mark.length === 1);
    const splitsWord = mark[0] === "_" && after && WORD.test(after);
    if (!longer && !splitsWord && !/[\s\\]/.test(text[at - 1])) return at;
    if (longer) at += mark.length;
  }
  return -1;
}

const dress = (length, nodes) => {
  if (length === 1) return h("em", {}, nodes);
  const strong = h("strong", {}, nodes);
  return length === 2 ? strong : h("em", {}, strong);
};

function strike(text, at) {
  const mark = text.startsWith("~~", at) ? "~~" : "~";
  const close = text.indexOf(mark, at + mark.length + 1);
  if (close < 0 || /\s/.test(text[at + mark.length]) || /\s/.test(text[close - 1])) return null;
  return { node: h("s", {}, markdownInline(text.slice(at + mark.length, close))), end: close + mark.length };
}

function bareUrl(text, at) {
  if (at > 0 && WORD.test(text[at - 1])) return null;
  const match = /^https?:\/\/[^\s<>|`*[\]]+/i.exec(text.slice(at, at + 2000));
  if (!match) return null;
  const address = match[0].replace(/(?:[.,;:!?)'"]|&gt;)+$/, "");
  return { node: link(decode(address), decode(address)), end: at + address.length };
}
