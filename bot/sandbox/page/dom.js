// Building elements. Text from outside becomes a text node, never markup.

const SVG = "http://www.w3.org/2000/svg";

/** An element: `h("p", {class: "x", onclick: f}, "text", node, [more])`. */
export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) assign(node, name, value);
  append(node, children);
  return node;
}

function assign(node, name, value) {
  if (value === undefined || value === null || value === false) return;
  if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
  else if (name === "class") node.className = value;
  else if (name === "data") for (const [key, one] of Object.entries(value)) { if (one !== undefined) node.dataset[key] = one; }
  else if (name in PROPERTIES) node[name] = value;
  else node.setAttribute(name, value === true ? "" : String(value));
}

// These are state of the live element; as attributes they would only set its default.
const PROPERTIES = { value: 1, checked: 1, selected: 1, disabled: 1, hidden: 1, readOnly: 1, textContent: 1 };

export function append(node, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === undefined || child === null || child === false || child === "") continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

const PATHS = {
  hash: "M9 4 7 20M17 4l-2 16M4 9h16M3.5 15h16",
  home: "M4 11.5 12 5l8 6.5M6 10v9h12v-9M10 19v-5h4v5",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6 6 18",
  back: "M14.5 5.5 8 12l6.5 6.5",
  send: "M4.5 12 4 5l16.5 7L4 19l.5-7zM4.5 12H12",
  more: "M6 12h.01M12 12h.01M18 12h.01",
  warning: "M12 4 2.8 20h18.4L12 4zM12 10v4.5M12 17.5v.01",
  eye: "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 14.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z",
  reply: "M5 5.5h14v10h-7l-4 3.5v-3.5H5zM9 10.5h6",
  check: "M5 12.5l4.5 4.5L19 7.5",
  info: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 11v5.5M12 7.5v.01",
  image: "M4 5h16v14H4zM4 16l4.5-4.5 4 4 2.5-2.5 5 5M15.5 9.5v.01",
  trash: "M5 7h14M10 4h4M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5",
  up: "M7 11v8H4v-8zM7 11l4-7c1.5 0 2.5 1 2 3l-.6 3H19c1 0 1.6 1 1.3 2l-1.6 5.5c-.3 1-1 1.5-2 1.5H7",
  down: "M17 13V5h3v8zM17 13l-4 7c-1.5 0-2.5-1-2-3l.6-3H5c-1 0-1.6-1-1.3-2l1.6-5.500c.3-1 1-1.5 2-1.5H17",
};

/** A decorative line icon; whatever it stands for is also said in text. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", `icon icon-${name}`);
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name] ?? PATHS.info);
  svg.append(path);
  return svg;
}

let counter = 0;
/** An id for aria references, unique on this page. */
export const uid = (prefix = "x") => `${prefix}-${++counter}`;

/** Only these may be followed from a message. */
export function safeUrl(url) {
  const text = String(url ?? "").trim();
  return /^(https?:\/\/|mailto:)/i.test(text) ? text : null;
}

/** A link, or its label as text where the address is none that may be followed. */
export function link(url, ...children) {
  const href = safeUrl(url);
  if (!href) return h("span", { class: "dead-link", title: `Not a web address: ${url}` }, ...children);
  return h("a", { href, target: "_blank", rel: "noopener noreferrer nofollow", title: href }, ...children);
}

/** What nobody here can draw is shown as it came: nothing is silently lost. */
export function unknown(what, thing) {
  const { type } = thing ?? {};
  return h("div", { class: "unknown" },
    h("div", { class: "unknown-title" }, `${what} "${type ?? "without a type"}" is not drawn in this sandbox`),
    h("pre", {}, JSON.stringify(thing, null, 2) ?? String(thing)));
}
