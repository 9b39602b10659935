// The page: one place in the address, one state from the server, everything else is drawn from these two.

import { drawChannel } from "./channel_pane.js";
import { h, icon } from "./dom.js";
import { drawHome, leaveHome } from "./home_pane.js";
import { drawModals } from "./modal.js";
import { skipOld } from "./notices.js";
import { people, person, team } from "./people.js";
import { setReader } from "./pills.js";
import { HOME, fromPermalink, go, goTo, hashOf, here, memory } from "./router.js";
import { directMessage, drawSidebar, showDrawer } from "./sidebar.js";
import { actAs, bootPatiently, onChange, store } from "./store.js";
import { drawThread } from "./thread_pane.js";

const offline = document.getElementById("offline");

function draw() {
  drawOffline();
  if (!store.boot) return;
  const route = here();
  const as = [route.as, store.as, memory.get("as"), people()[0]?.id].find((id) => id && person(id));
  if (!as) return;
  memory.set("as", as);
  setReader(as);
  if (actAs(as)) clear();
  if (store.loaded) skipOld();
  const place = settle({ ...route, as });
  if (!place) return;
  store.route = place;
  const channel = store.state.channels.find((one) => one.id === place.place);
  drawSidebar(place);
  if (place.place === HOME) drawHome();
  else leaveHome();
  if (channel) drawChannel(place, channel);
  drawThread(place, channel);
  drawModals();
  document.title = `${place.place === HOME ? "Home" : channel?.is_im ? "Direct message" : `#${channel?.name ?? "…"}`} – ${team().name ?? "Sandbox"}`;
}

/** Takes away what another person saw. */
function clear() {
  document.getElementById("main").replaceChildren();
  drawThread({}, null);
  drawModals();
}

/** The place to show, or null while it is still being found out. */
function settle(route) {
  if (route.place === HOME) return canonical(route);
  if (!store.loaded) return null;
  if (route.place === "im") {
    const id = directMessage();
    if (id) go({ as: route.as, place: id }, { replace: true });
    return null;
  }
  const { channels } = store.state;
  if (channels.some((one) => one.id === route.place)) return canonical(route);
  const first = channels.find((one) => one.name === "general") ?? channels.find((one) => !one.is_im) ?? channels[0];
  if (!first) return { as: route.as, place: HOME };
  if (route.place) toast(`${person(route.as).name} cannot see that channel.`);
  go({ as: route.as, place: first.id }, { replace: true });
  return null;
}

/** Writes the person into the address, so that it can be shared as it stands. */
function canonical(route) {
  if (here().as !== route.as) history.replaceState(null, "", hashOf(route));
  return route;
}

function drawOffline() {
  const shown = offline.matches(":popover-open");
  if (store.online === !shown) return;
  // A popover, so that it lies above an open modal as well.
  offline.togglePopover(!store.online);
  offline.replaceChildren(...(store.online ? [] : [h("span", { class: "spinner", "aria-hidden": "true" }), h("span", {}, "Reconnecting…")]));
}

function toast(text) {
  const node = h("div", { class: "toast", role: "status" }, icon("info"), text);
  document.body.append(node);
  setTimeout(() => node.remove(), 6000);
}

// Links within the page act at once; a permalink of this workspace opens here and not in a new tab.
document.addEventListener("click", (event) => {
  const anchor = event.target.closest("a[href]");
  if (!anchor || event.ctrlKey || event.metaKey || event.shiftKey || anchor.protocol === "mailto:") return;
  const hash = anchor.getAttribute("href");
  if (hash.startsWith("#")) {
    event.preventDefault();
    goTo(hash);
    return;
  }
  const url = new URL(anchor.href);
  const place = url.origin === location.origin && fromPermalink(url);
  if (!place) return;
  event.preventDefault();
  go({ as: store.as, ...place });
});

window.addEventListener("hashchange", () => {
  showDrawer(false);
  draw();
});
document.addEventListener("visibilitychange", draw);
onChange(draw);
const linked = fromPermalink(new URL(location.href));
if (linked) history.replaceState(null, "", `/${hashOf(linked)}`);
await bootPatiently();
store.online = true;
draw();
