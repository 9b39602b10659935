// The bot's Home tab.

import * as api from "./api.js";
import { h } from "./dom.js";
import { contextFor } from "./act.js";
import { drawBlocks } from "./blocks.js";
import { menuButton } from "./channel_pane.js";
import { noticesFor, placeNotices } from "./notices.js";
import { avatar, bot, botName } from "./people.js";
import { reconcile } from "./reconcile.js";
import { store } from "./store.js";

const root = document.getElementById("main");
let shownFor = null;
let body = null;

export function drawHome() {
  if (shownFor !== store.as || !body?.isConnected) build();
  const { home } = store.state;
  const place = { view_id: home?.id };
  const notices = home ? noticesFor(place) : [];
  reconcile(body, [{ key: "home", signature: JSON.stringify([home, notices, store.as, store.loaded]), build: () => content(home, place) }]);
}

export const leaveHome = () => { shownFor = null; };

function build() {
  shownFor = store.as;
  body = h("div", { class: "home", tabindex: "-1" });
  root.replaceChildren(
    h("header", { class: "pane-head" }, menuButton(),
      h("div", { class: "pane-title" }, h("h2", {}, avatar({ isApp: true, name: botName(), id: bot().user_id }, "avatar-small"), h("span", {}, botName()), h("span", { class: "badge badge-app" }, "APP")), h("p", {}, "Home"))),
    body);
  // The app hears of every opening, as it would from Slack, and may publish anew.
  api.post("open_home", { as: store.as }).catch(() => { shownFor = null; });
}

function content(home, place) {
  if (!home) {
    return h("div", { class: "home-empty" }, h("h3", {}, store.loaded ? "Nothing here yet" : "Opening…"), h("p", {}, `${botName()} has not published a Home tab for this person.`));
  }
  const node = h("div", { class: "home-view", tabindex: "-1" }, drawBlocks(home.blocks, contextFor(place, { values: home.values })));
  placeNotices(node, place);
  return node;
}
