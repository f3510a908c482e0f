/** Elements made and changed in few words; no text is ever read as markup. */

const SVG = "http://www.w3.org/2000/svg";

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) set(node, name, value);
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

function set(node, name, value) {
  if (name === "text") node.textContent = value;
  else if (typeof value === "function") node.addEventListener(name, value);
  else if (value === false || value === null || value === undefined) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value === true ? "" : String(value));
}

/** An HTML element; a function among the attributes is a listener for the event of that name. */
export function html(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** An SVG element, made as `html` makes its. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

/** A button that submits nothing. */
export function button(text, press, attributes = {}) {
  return html("button", { type: "button", text, click: press, ...attributes });
}

/** Changes attributes of an element that is there; touches only those that differ. */
export function change(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name !== "text") set(node, name, value);
    else if (node.textContent !== value) node.textContent = value;
  }
}

/** Fills a node anew only when what it is made from has changed: focus and selection stay. */
export function refill(node, made_from, make) {
  const key = JSON.stringify(made_from);
  if (node.made_from === key) return;
  node.made_from = key;
  const focused = node.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  node.replaceChildren(...[make()].flat().filter(Boolean));
  if (focused) [...node.querySelectorAll("[data-key]")].find((one) => one.dataset.key === focused)?.focus();
}

export const byId = (id) => document.getElementById(id);
