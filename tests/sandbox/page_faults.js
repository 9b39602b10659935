// What is wrong with a part of the page: a block that is not drawn, words that are cut, what is beyond the edge.
(root) => {
  const found = [];
  const seen = (node) => `${node.tagName.toLowerCase()}.${node.className}: ${node.textContent.trim().slice(0, 60)}`;
  const style = (node) => getComputedStyle(node);
  const scrolls = (node) => ["auto", "scroll"].includes(style(node).overflowX);
  const isPassedOver = (node) =>
    node.closest(".visually-hidden, .toolbar, option, select, svg") || ["INPUT", "TEXTAREA"].includes(node.tagName);

  /** What a person can scroll sideways to see the node, or the page. */
  function holder(node) {
    for (let one = node.parentElement; one; one = one.parentElement) if (scrolls(one)) return one;
    return document.documentElement;
  }

  for (const node of root.querySelectorAll(".unknown")) found.push(`not drawn: ${seen(node)}`);
  for (const node of root.querySelectorAll("*")) {
    if (isPassedOver(node)) continue;
    const cuts = ["hidden", "clip"].includes(style(node).overflowX) && style(node).display !== "inline";
    if (cuts && node.scrollWidth > node.clientWidth + 1) found.push(`cut: ${seen(node)}`);
    const within = holder(node);
    const isTable = within.closest("pre, .table, .table-box, .table-scroll") !== null;
    if (!isTable && node.getBoundingClientRect().right > Math.min(within.getBoundingClientRect().right, innerWidth) + 1) {
      found.push(`beyond the edge: ${seen(node)}`);
    }
  }
  if (document.documentElement.scrollWidth > innerWidth) found.push("the page scrolls sideways");
  return found;
}
