// The confirm object of an element: a small dialog that has to be answered before the press counts.

import { h, uid } from "./dom.js";
import { openDialog } from "./dialog.js";
import { plain, textNodes } from "./text.js";

/** True once the person confirms; false when they deny, press Escape or the container goes away. */
export function confirmed(spec) {
  return new Promise((resolve) => {
    const heading = uid("confirm");
    const style = spec.style === "danger" ? "button-danger" : "button-primary";
    const yes = h("button", { type: "button", class: `button ${style}` }, plain(spec.confirm) || "Yes");
    const no = h("button", { type: "button", class: "button" }, plain(spec.deny) || "No");
    const dialog = openDialog({ role: "alertdialog", labelledBy: heading, className: "dialog-small", onescape: () => answer(false) },
      h("header", { class: "dialog-head" }, h("h2", { id: heading }, plain(spec.title) || "Are you sure?")),
      h("div", { class: "dialog-body mrkdwn" }, textNodes(spec.text)),
      h("footer", { class: "dialog-foot" }, no, yes));
    const answer = (verdict) => {
      dialog.dismiss();
      resolve(verdict);
    };
    yes.addEventListener("click", () => answer(true));
    no.addEventListener("click", () => answer(false));
    no.focus();
  });
}
