// Text objects: plain_text literally, mrkdwn parsed.

import { withEmoji } from "./emoji.js";
import { mrkdwn } from "./mrkdwn.js";

export function textNodes(text) {
  if (text === undefined || text === null) return [];
  if (typeof text === "string") return [text];
  if (text.type === "mrkdwn") return mrkdwn(text.text, { verbatim: text.verbatim });
  return [plain(text)];
}

/** The words alone, for places that take no nodes: labels of options, titles, placeholders. */
export function plain(text) {
  if (text === undefined || text === null) return "";
  if (typeof text === "string") return text;
  return text.emoji && text.type === "plain_text" ? withEmoji(text.text) : String(text.text ?? "");
}
