// Brings a list of drawn items up to date and leaves alone whatever did not change.

/** Items are {key, signature, build}. A node whose signature is the same stays the very node it was. */
export function reconcile(parent, items) {
  const before = new Map([...parent.children].map((node) => [node.dataset.key, node]));
  let cursor = parent.firstElementChild;
  for (const item of items) {
    const old = before.get(item.key);
    before.delete(item.key);
    const node = old && signatures.get(old) === item.signature ? old : fresh(item, old);
    if (node === cursor || (old === cursor && node.parentNode === parent)) cursor = node.nextElementSibling;
    else if (node.parentNode !== parent) parent.insertBefore(node, cursor);
    else if (node.nextElementSibling !== cursor) parent.insertBefore(node, cursor);
  }
  for (const gone of before.values()) {
    if (gone.contains(document.activeElement)) parent.focus?.({ preventScroll: true });
    gone.remove();
  }
}

const signatures = new WeakMap();

function fresh(item, old) {
  const node = item.build();
  node.dataset.key = item.key;
  signatures.set(node, item.signature);
  if (!old) return node;
  const active = old.contains(document.activeElement) ? document.activeElement : null;
  const caret = active && "selectionStart" in active ? [active.selectionStart, active.selectionEnd] : null;
  old.replaceWith(node);
  if (active) giveFocus(node, active.dataset.focus, caret);
  return node;
}

/** The same field if it is still there, else the item itself, so that the keyboard keeps its place. */
function giveFocus(node, wanted, caret) {
  const again = wanted && [...node.querySelectorAll("[data-focus]")].find((one) => one.dataset.focus === wanted);
  (again || node).focus({ preventScroll: true });
  if (again && caret && caret[0] !== null && again.setSelectionRange) again.setSelectionRange(...caret);
}
