// One modal dialog: on top of everything, keeps keyboard focus inside, gives it back at the end.

import { h } from "./dom.js";

const open = [];
const FOCUSABLE = "a[href], button:not([disabled]), input:not([disabled]), select:not([disabled]), textarea:not([disabled]), summary";

/** Opens and returns the <dialog>; `dismiss()` on it closes it. Escape only calls `onescape`. */
export function openDialog({ role = "dialog", labelledBy, className = "", onescape }, ...content) {
  const before = document.activeElement;
  const dialog = h("dialog", { class: `dialog ${className}`, role, "aria-modal": "true", "aria-labelledby": labelledBy }, ...content);
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      event.preventDefault();
      onescape();
    } else if (event.key === "Tab") wrapFocus(event, dialog);
  });
  document.body.append(dialog);
  dialog.showModal();
  open.push(dialog);
  hideBackground();
  dialog.dismiss = () => {
    if (!open.includes(dialog)) return;
    open.splice(open.indexOf(dialog), 1);
    dialog.close();
    dialog.remove();
    hideBackground();
    if (before?.isConnected && !dialog.contains(before)) before.focus({ preventScroll: true });
  };
  return dialog;
}

/** Assistive technology sees the topmost dialog alone, as the eye does. */
function hideBackground() {
  const app = document.getElementById("app");
  if (open.length) app.setAttribute("aria-hidden", "true");
  else app.removeAttribute("aria-hidden");
  open.forEach((dialog, index) => {
    if (index < open.length - 1) dialog.setAttribute("aria-hidden", "true");
    else dialog.removeAttribute("aria-hidden");
  });
}

function wrapFocus(event, dialog) {
  const stops = [...dialog.querySelectorAll(FOCUSABLE)].filter((node) => node.getClientRects().length);
  if (!stops.length) return;
  const [first, last] = [stops[0], stops.at(-1)];
  const leaving = event.shiftKey ? document.activeElement === first : document.activeElement === last;
  if (!leaving) return;
  event.preventDefault();
  (event.shiftKey ? last : first).focus();
}
