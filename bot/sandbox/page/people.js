// Who is who: names, avatars, badges. Filled once from /client/boot.

import { h } from "./dom.js";

const directory = { team: {}, bot: {}, people: [], byId: new Map(), channels: new Map() };

export function setDirectory(boot) {
  directory.team = boot.team ?? {};
  directory.bot = boot.bot ?? {};
  directory.people = boot.people ?? [];
  directory.byId = new Map(directory.people.map((person) => [person.id, person]));
}

export function setChannels(channels) {
  for (const channel of channels) directory.channels.set(channel.id, channel);
}

export const people = () => directory.people;
export const bot = () => directory.bot;
export const team = () => directory.team;
export const person = (id) => directory.byId.get(id);
export const channels = () => [...directory.channels.values()];

/** What stands after the @ for that user id; an id that nobody knows stays an id. */
export function nameOf(id) {
  if (id && (id === directory.bot.user_id || id === directory.bot.bot_id)) return botName();
  const found = directory.byId.get(id);
  return found ? found.name : id;
}

export const botName = () => directory.bot.name ?? "the bot";
export const realName = (who) => who.real_name || who.name;
export const channelName = (id) => directory.channels.get(id)?.name ?? id;

const KINDS = { guest: "guest", external: "other organisation" };
export const kindOf = (who) => KINDS[who?.kind];

export function badge(who) {
  const kind = kindOf(who);
  return kind ? h("span", { class: `badge badge-${who.kind}` }, kind) : null;
}

/** Author of a message: {id, name, isApp, person}. */
export function author(message) {
  const isApp = Boolean(message.bot_id) || message.user === directory.bot.user_id;
  if (isApp) return { id: directory.bot.user_id ?? message.bot_id, name: message.username || botName(), isApp };
  if (message.user === "USLACKBOT") return { id: "USLACKBOT", name: "Slackbot", isApp: false };
  const who = directory.byId.get(message.user);
  return { id: message.user, name: who ? realName(who) : message.username || message.user || "somebody", isApp, person: who };
}

function initials(name) {
  const words = String(name).split(/[\s._-]+/).filter(Boolean);
  const letters = words.length > 1 ? [words[0], words.at(-1)] : words;
  return letters.map((word) => [...word][0]).join("").toUpperCase() || "?";
}

// Eight hues of the same lightness, so that white initials are readable on each.
export function hueOf(id) {
  let sum = 7;
  for (const char of String(id)) sum = (sum * 31 + char.codePointAt(0)) % 9973;
  const index = directory.people.findIndex((who) => who.id === id);
  return `hue-${(index >= 0 ? index : sum) % 8}`;
}

/** Decorative: the name always stands beside it. */
export function avatar(who, size = "") {
  const app = who.isApp ? "avatar-app" : hueOf(who.id);
  return h("span", { class: `avatar ${app} ${size}`, "aria-hidden": "true" }, who.isApp ? "" : initials(who.name));
}
