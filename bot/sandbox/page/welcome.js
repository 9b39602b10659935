// What a newcomer reads in an empty channel, with something to try at once.

import { h } from "./dom.js";
import { botName } from "./people.js";
import { store } from "./store.js";

const TASK = 'tidy up: delete tmp.log, write "done" to notes.txt and ask me whether to keep data.csv';

export function welcome(channel, tryIt) {
  const command = store.boot?.commands?.[0]?.command ?? "/agent";
  const text = channel.is_im ? TASK : `${command} ${TASK}`;
  return h("section", { class: "welcome", "aria-label": "First steps" },
    h("h3", {}, channel.is_im ? `A direct line to ${botName()}` : `Welcome to #${channel.name}`),
    h("p", {}, `Ask @${botName()} to do something. Before it touches a file it asks here, and people decide with buttons.`),
    h("div", { class: "welcome-try" }, h("code", {}, text),
      h("button", { type: "button", class: "button button-primary", onclick: () => tryIt(text) }, "Try it")),
    channel.is_im && h("div", { class: "welcome-prompts" }, (store.boot?.prompts ?? []).map((one) =>
      h("button", { type: "button", class: "button", onclick: () => tryIt(one.message) }, one.title))),
    h("ul", {},
      h("li", {}, "Enter sends. The answer, and whatever needs a decision, comes in a thread."),
      h("li", {}, channel.is_im
        ? "Nobody else reads here. What a colleague has to approve is better asked in a channel."
        : "Switch with “Act as” to a colleague and approve. A guest, or somebody from another organisation, is refused."),
      h("li", {}, "Nothing leaves this machine.")));
}
