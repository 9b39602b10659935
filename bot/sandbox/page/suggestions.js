// What the composer offers while one types: commands after "/", people after "@", channels after "#".

import { h, uid } from "./dom.js";
import { avatar, bot, botName, channels, kindOf, people, realName } from "./people.js";
import { store } from "./store.js";

/** @name and #channel as Slack's tokens. The server escapes the rest; a command it reads itself. */
export function withTokens(text) {
  if (text.startsWith("/")) return text;
  const names = new Map();
  for (const one of mentionable()) names.set(`@${one.name}`.toLowerCase(), `<@${one.id}>`);
  for (const room of channels().filter((one) => !one.is_im)) names.set(`#${room.name}`.toLowerCase(), `<#${room.id}>`);
  const longestFirst = [...names.keys()].sort((a, b) => b.length - a.length).map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (!longestFirst.length) return text;
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_])(${longestFirst.join("|")})(?![\\p{L}\\p{N}_-])`, "giu");
  return text.replace(pattern, (name) => names.get(name.toLowerCase()));
}

function mentionable() {
  const robot = bot().user_id ? [{ id: bot().user_id, name: botName(), isApp: true }] : [];
  return [...robot, ...people()];
}

function offers(text, allowCommands) {
  const slash = /^\/(\S*)$/.exec(text);
  if (slash && allowCommands) return commandOffers(slash[1]);
  const word = /(?:^|\s)([@#])([\p{L}\p{N}._-]*)$/u.exec(text);
  if (!word) return [];
  const starts = (name) => name.toLowerCase().startsWith(word[2].toLowerCase());
  if (word[1] === "#") {
    return channels().filter((one) => !one.is_im && starts(one.name)).map((one) => ({ insert: `#${one.name} `, typed: word[2].length + 1, title: `#${one.name}` }));
  }
  return mentionable().filter((one) => starts(one.name) || starts(realName(one))).map((one) => ({
    insert: `@${one.name} `, typed: word[2].length + 1, title: realName(one), note: one.isApp ? "app" : kindOf(one) ?? "", who: one,
  }));
}

function commandOffers(begun) {
  return (store.boot?.commands ?? []).filter((one) => one.command.slice(1).startsWith(begun.toLowerCase())).map((one) => ({
    insert: `${one.command} `, typed: begun.length + 1, title: `${one.command} ${one.usage_hint ?? ""}`.trim(), note: one.description ?? "",
  }));
}

/** A listbox above `box`. `key(event)` is true where it used the key itself. */
export function suggestions(box, { commands }) {
  const list = h("div", { class: "suggestions", role: "listbox", id: uid("suggestions"), "aria-label": "Suggestions", hidden: true });
  let shown = [];
  let at = 0;
  const draw = () => {
    list.replaceChildren(...shown.map((offer, index) => row(offer, index === at, () => take(offer))));
    list.hidden = !shown.length;
    box.setAttribute("aria-controls", list.id);
    if (shown.length) box.setAttribute("aria-activedescendant", list.children[at].id);
    else box.removeAttribute("aria-activedescendant");
    list.children[at]?.scrollIntoView({ block: "nearest" });
  };
  const show = (next) => { shown = next; at = 0; draw(); };
  const take = (offer) => {
    const caret = box.selectionStart;
    const head = box.value.slice(0, caret - offer.typed) + offer.insert;
    box.value = head + box.value.slice(caret);
    box.setSelectionRange(head.length, head.length);
    box.dispatchEvent(new Event("input"));
    box.focus();
  };
  box.addEventListener("input", () => show(offers(box.value.slice(0, box.selectionStart), commands)));
  box.addEventListener("blur", () => show([]));
  return {
    node: list,
    key(event) {
      if (!shown.length || event.isComposing) return false;
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) { at = (at + step + shown.length) % shown.length; draw(); }
      else if (event.key === "Escape") show([]);
      else if (event.key === "Tab" || (event.key === "Enter" && !event.shiftKey && !complete(box, shown[at]))) take(shown[at]);
      else return false;
      event.preventDefault();
      event.stopPropagation();
      return true;
    },
  };
}

/** Typed in full already: Enter sends then, instead of completing what needs no completion. */
const complete = (box, offer) => box.value.slice(0, box.selectionStart).toLowerCase().endsWith(offer.insert.trim().toLowerCase());

function row(offer, selected, take) {
  const node = h("div", { class: "suggestion", role: "option", id: uid("option"), "aria-selected": String(selected) },
    offer.who && avatar({ ...offer.who, name: realName(offer.who) }, "avatar-small"),
    h("span", { class: "suggestion-title" }, offer.title), offer.note && h("span", { class: "suggestion-note" }, offer.note));
  // mousedown and not click: the box keeps focus and the list does not vanish first.
  node.addEventListener("mousedown", (event) => { event.preventDefault(); take(); });
  return node;
}
