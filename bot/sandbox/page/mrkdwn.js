// Slack's own markup: *bold* _italic_ ~strike~ `code` ```pre``` > quote <link|label> <@U> <#C> <!here> <!date^…>.

import { h, link, safeUrl } from "./dom.js";
import { emojiChar } from "./emoji.js";
import { formatDate } from "./dates.js";
import { broadcastPill, channelPill, tokenNode } from "./pills.js";
import { channels } from "./people.js";

const ENTITIES = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };
export const decode = (text) => text.replace(/&(lt|gt|amp);/g, (entity) => ENTITIES[entity]);

/** Nodes for a mrkdwn text; with `verbatim` plain @here, #channel and addresses stay plain. */
export function mrkdwn(text, { verbatim = false } = {}) {
  const nodes = [];
  String(text ?? "").split(/```([\s\S]+?)```/).forEach((piece, index) => {
    if (index % 2) nodes.push(h("pre", { class: "pre" }, tokensOnly(piece.replace(/^\n|\n$/g, ""))));
    else nodes.push(...withQuotes(index ? piece.replace(/^\n/, "") : piece, verbatim));
  });
  return nodes;
}

function withQuotes(text, verbatim) {
  const nodes = [];
  let run = null;
  const flush = () => {
    if (!run) return;
    const content = inline(run.lines.join("\n"), verbatim);
    nodes.push(...(run.quoted ? [h("blockquote", { class: "quote" }, content)] : content));
    run = null;
  };
  let quoteRest = false;
  for (const line of text.split("\n")) {
    const match = quoteRest ? null : /^(&gt;|>)(\1\1)? ?/.exec(line);
    const quoted = quoteRest || Boolean(match);
    quoteRest ||= Boolean(match?.[2]);
    if (run && run.quoted !== quoted) {
      if (!run.quoted && run.lines.length && run.lines.at(-1) === "" && run.lines.length > 1) run.lines.pop();
      flush();
    }
    run ??= { quoted, lines: [] };
    run.lines.push(match ? line.slice(match[0].length) : line);
  }
  flush();
  return nodes;
}

const STYLES = { "*": "strong", _: "em", "~": "s" };
const WORD = /[\p{L}\p{N}]/u;

function inline(text, verbatim) {
  const nodes = [];
  let plain = "";
  const push = (node) => {
    if (plain) nodes.push(decode(plain));
    plain = "";
    nodes.push(node);
  };
  for (let at = 0; at < text.length;) {
    const found = special(text, at, verbatim);
    if (found) {
      push(found.node);
      at = found.end;
    } else {
      plain += text[at];
      at += 1;
    }
  }
  if (plain) nodes.push(decode(plain));
  return nodes;
}

function special(text, at, verbatim) {
  const char = text[at];
  if (char === "<") return angle(text, at);
  if (char === "`") return code(text, at);
  if (STYLES[char]) return styled(text, at, verbatim);
  if (char === ":") return emoji(text, at);
  if (!verbatim && "@#hH".includes(char)) return automatic(text, at);
  return null;
}

export function angle(text, at) {
  const close = text.indexOf(">", at);
  if (close < 0) return null;
  const node = token(text.slice(at + 1, close));
  return node && { node, end: close + 1 };
}

function token(inner) {
  if (!inner || inner.includes("<")) return null;
  return tokenNode(inner) ?? dateToken(inner) ?? linkToken(inner);
}

function dateToken(inner) {
  const match = /^!date\^(\d+)\^([^^|]+)(?:\^([^|]+))?(?:\|([\s\S]*))?$/.exec(inner);
  if (!match) return null;
  const [, when, format, url, fallback] = match;
  const shown = formatDate(when, decode(format)) ?? decode(fallback ?? "");
  const time = h("time", { title: new Date(Number(when) * 1000).toString() }, shown);
  return url ? link(decode(url), time) : time;
}

function linkToken(inner) {
  const bar = inner.indexOf("|");
  const url = decode(bar < 0 ? inner : inner.slice(0, bar));
  if (!safeUrl(url)) return /^[a-z]+:/i.test(url) ? link(url, inner) : null;
  return link(url, bar < 0 ? url.replace(/^mailto:/, "") : decode(inner.slice(bar + 1)));
}

function code(text, at) {
  const close = text.indexOf("`", at + 1);
  const inner = text.slice(at + 1, close);
  if (close < 0 || !inner.trim() || inner.includes("\n")) return null;
  return { node: h("code", { class: "code" }, tokensOnly(inner)), end: close + 1 };
}

/** Code keeps its asterisks, yet Slack still reads mentions and links in it. */
function tokensOnly(text) {
  return text.split(/(<[^<>\n]+>)/).map((piece, index) => (index % 2 && token(piece.slice(1, -1))) || decode(piece));
}

function styled(text, at, verbatim) {
  const mark = text[at];
  const next = text[at + 1];
  if ((at > 0 && WORD.test(text[at - 1])) || !next || /\s/.test(next) || next === mark) return null;
  const newline = text.indexOf("\n", at);
  const limit = newline < 0 ? text.length : newline;
  for (let end = text.indexOf(mark, at + 1); end > 0 && end < limit; end = text.indexOf(mark, end + 1)) {
    const closes = !/\s/.test(text[end - 1]) && !(text[end + 1] && WORD.test(text[end + 1]));
    if (closes) return { node: h(STYLES[mark], {}, inline(text.slice(at + 1, end), verbatim)), end: end + 1 };
  }
  return null;
}

export function emoji(text, at) {
  const match = /^:([a-z0-9_+-]+):/i.exec(text.slice(at, at + 60));
  const char = match && emojiChar(match[1]);
  return char ? { node: h("span", { class: "emoji", title: match[0] }, char), end: at + match[0].length } : null;
}

/** What Slack makes of plain text where `verbatim` is not set. */
function automatic(text, at) {
  if (at > 0 && WORD.test(text[at - 1])) return null;
  const rest = text.slice(at, at + 2000);
  const loud = /^@(here|channel|everyone)\b/.exec(rest);
  if (loud) return { node: broadcastPill(loud[1]), end: at + loud[0].length };
  const room = /^#([\p{L}\p{N}_-]+)/u.exec(rest);
  const channel = room && channels().find((one) => one.name === room[1] && !one.is_im);
  if (channel) return { node: channelPill(channel.id), end: at + room[0].length };
  const url = /^https?:\/\/[^\s<>|`*]+/i.exec(rest);
  if (!url) return null;
  const address = url[0].replace(/(?:[.,;:!?)'"\]]|&gt;)+$/, "");
  return { node: link(decode(address), decode(address)), end: at + address.length };
}
