// The middle: a channel or the direct message - header, messages, composer.

import { h, icon } from "./dom.js";
import { composer } from "./composer.js";
import { pointAt, scrollingLog } from "./log.js";
import { drawMessages, isBroadcast, isReply } from "./messages.js";
import { noticeNode, noticesFor } from "./notices.js";
import { avatar, bot, botName, nameOf, people, realName } from "./people.js";
import { showDrawer } from "./sidebar.js";
import { store } from "./store.js";
import { markRead } from "./unread.js";
import { welcome } from "./welcome.js";

const root = document.getElementById("main");
let pane = null;

export function menuButton() {
  return h("button", { type: "button", class: "icon-button menu-button", onclick: () => showDrawer(true) },
    icon("menu"), h("span", { class: "visually-hidden" }, "Channels and people"));
}

export function drawChannel(route, channel) {
  const name = `${store.as}/${channel.id}/${writable(channel)}`;
  if (pane?.name !== name || !pane.notices.isConnected) build(name, channel);
  const all = store.state.messages[channel.id] ?? [];
  const seen = all.filter((one) => !isReply(one) || isBroadcast(one));
  pane.hint.hidden = seen.length > 0 || !writable(channel);
  pane.log.update(() => drawMessages(pane.log.log, seen, all, route, false));
  pane.notices.replaceChildren(...noticesFor({ channel: channel.id }).map(noticeNode));
  const target = !route.thread || route.message === route.thread ? route.message : null;
  if (target && pane.pointed !== target && pointAt(pane.log.log, target)) pane.pointed = target;
  markRead(channel.id);
}

const writable = (channel) => channel.is_member !== false && !channel.is_archived;

function build(name, channel) {
  const title = channel.is_im ? botName() : channel.name;
  const log = scrollingLog(`Conversation in ${channel.is_im ? title : `#${title}`}`);
  const notices = h("div", { class: "notices" });
  const label = channel.is_im ? "Message the bot" : `Message #${title}`;
  const box = composer({ label, placeholder: label, sendLabel: "Send", place: { channel: channel.id } });
  const hint = welcome(channel, (text) => box.fill(text));
  hint.hidden = true;
  const closed = h("p", { class: "not-member" }, channel.is_archived ? `#${title} is archived.` : `${nameOf(store.as)} is not a member of #${title} and sees nothing of it.`);
  const open = writable(channel);
  const body = h("div", { class: "pane-body" }, open && hint, (open || channel.is_archived) && log.frame, !open && closed);
  root.replaceChildren(header(channel, title), body, notices, ...(open ? [box.root] : []));
  pane = { name, log, hint, notices, pointed: null };
}

function header(channel, title) {
  const mark = channel.is_im ? avatar({ isApp: true, name: title, id: bot().user_id }, "avatar-small") : icon("hash");
  const note = channel.is_im ? "Direct message" : people().map(realName).join(", ");
  return h("header", { class: "pane-head" }, menuButton(),
    h("div", { class: "pane-title" }, h("h2", {}, mark, h("span", {}, title), channel.is_im && h("span", { class: "badge badge-app" }, "APP")),
      channel.is_im && h("p", {}, note)));
}
