// The left side: workspace, who one acts as, channels, the direct message with the bot, its Home tab.

import * as api from "./api.js";
import { h, icon, uid } from "./dom.js";
import { avatar, badge, bot, botName, kindOf, people, person, realName, team } from "./people.js";
import { HOME, go, hashOf } from "./router.js";
import { store } from "./store.js";
import { unreadIn } from "./unread.js";

const root = document.getElementById("sidebar");
const veil = document.getElementById("veil");
let drawn = null;
let asked = null;

/** On a phone the sidebar is a drawer. */
export function showDrawer(open) {
  root.classList.toggle("open", open);
  veil.hidden = !open;
  if (open) root.querySelector("select, a")?.focus();
}

veil.addEventListener("click", () => showDrawer(false));
root.addEventListener("keydown", (event) => { if (event.key === "Escape") showDrawer(false); });
root.addEventListener("click", (event) => { if (event.target.closest("a")) showDrawer(false); });

export function drawSidebar(route) {
  const rooms = store.state.channels.filter((one) => !one.is_im);
  const counts = store.state.channels.map((one) => (one.id === route.place ? 0 : unreadIn(one.id)));
  const facts = JSON.stringify([store.boot, store.as, route.place, route.thread, store.state.channels, counts]);
  if (facts === drawn) return;
  drawn = facts;
  // The switch stays the same element, or the keyboard would lose it while somebody chooses.
  const switcher = root.querySelector(".act-as") ?? actAsSwitch();
  fillSwitch(switcher);
  const list = h("div", { class: "sidebar-list" },
    group("Channels", rooms.map((one) => roomLink(one, route, counts[store.state.channels.indexOf(one)]))),
    group("Direct messages", [messageLink(route, counts)]),
    group("Apps", [homeLink(route)]),
    group("People", people().map((who) => personLink(who, route))));
  const old = root.querySelector(".sidebar-list");
  const focused = old?.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
  if (old) old.replaceWith(list);
  else root.append(h("div", { class: "workspace" }, h("span", { class: "workspace-mark", "aria-hidden": "true" }), h("div", {}, h("h1", {}, team().name ?? "Workspace"), h("p", {}, "Runs on this machine"))), switcher, list);
  if (focused) [...list.querySelectorAll("[data-focus]")].find((node) => node.dataset.focus === focused)?.focus();
}

/** The same place as another person, who has a direct message of their own. */
function sameFor(as, { place, thread }) {
  const shared = place && !store.state.channels.find((one) => one.id === place)?.is_im;
  return shared ? { as, place, thread } : { as, place: "im" };
}

function actAsSwitch() {
  const id = uid("act-as");
  const select = h("select", { id });
  select.addEventListener("change", () => {
    go(sameFor(select.value, store.route));
  });
  return h("div", { class: "act-as" }, h("label", { for: id }, "Act as"),
    h("div", { class: "act-as-row" }, h("span", { class: "act-as-avatar" }), select), h("div", { class: "act-as-note" }));
}

function fillSwitch(switcher) {
  const select = switcher.querySelector("select");
  const wanted = people().map((who) => {
    const note = who.deleted ? "deactivated" : kindOf(who);
    return [who.id, note ? `${realName(who)} (${note})` : realName(who)];
  });
  if (select.dataset.people !== JSON.stringify(wanted)) {
    select.dataset.people = JSON.stringify(wanted);
    select.replaceChildren(...wanted.map(([id, words]) => h("option", { value: id }, words)));
  }
  select.value = store.as;
  const who = person(store.as);
  switcher.querySelector(".act-as-avatar").replaceChildren(avatar({ id: store.as, name: who ? realName(who) : "?" }));
  switcher.querySelector(".act-as-note").replaceChildren(badge(who) ?? who?.note ?? "");
}

const group = (title, items) => h("section", { class: "group" }, h("h2", {}, title), h("ul", {}, items.map((item) => h("li", {}, item))));

function entry({ place, current, mark, words, unread, extra, outside }) {
  return h("a", {
    href: hashOf({ as: store.as, place }), class: `entry${unread ? " unread" : ""}${outside ? " outside" : ""}`, "aria-current": current ? "page" : null, data: { focus: place },
  }, mark, h("span", { class: "entry-name" }, words), extra,
  unread ? h("span", { class: "count" }, String(unread), h("span", { class: "visually-hidden" }, " unread")) : null);
}

const roomLink = (room, route, unread) =>
  entry({ place: room.id, current: route.place === room.id, mark: icon("hash"), words: room.name, unread, outside: room.is_member === false });

function messageLink(route, counts) {
  const mine = store.state.channels.findIndex((one) => one.is_im);
  const im = store.state.channels[mine];
  return entry({
    place: im?.id ?? "im", current: im && route.place === im.id, mark: avatar({ isApp: true, name: botName(), id: bot().user_id }, "avatar-small"),
    words: botName(), unread: im ? counts[mine] : 0, extra: h("span", { class: "badge badge-app" }, "APP"),
  });
}

const homeLink = (route) => entry({ place: HOME, current: route.place === HOME, mark: icon("home"), words: `${botName()} Home` });

function personLink(who, route) {
  const me = who.id === store.as;
  return h("a", { href: hashOf(sameFor(who.id, route)), class: "entry", title: me ? null : `Act as ${who.name}`, data: { focus: `as-${who.id}` } },
    avatar({ id: who.id, name: realName(who) }, "avatar-small"), h("span", { class: "entry-name" }, realName(who)), badge(who), me && h("span", { class: "me" }, "you"));
}

/** The id of this person's direct message with the bot; null while it is being opened, the next state has it. */
export function directMessage() {
  const known = store.state.channels.find((one) => one.is_im);
  if (known) return known.id;
  if (asked !== store.as) {
    asked = store.as;
    api.post("open_im", { as: store.as }).catch(() => { asked = null; });
  }
  return null;
}
