// Builds elements. Text goes in as text nodes only: ids, keys and names come from callers of the
// service and must never be parsed as markup, nor look like others.

import { printable } from "./format.js";

/**
 * Creates an element. In `attributes`, a key such as `onclick` adds a listener, `class` and other
 * attributes are set as text, `true` sets an empty attribute, `false`, `null` and `undefined` set none.
 */
export function el(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** Creates an element of SVG. */
export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

/** Appends nodes and texts; skips `null`, `undefined` and `false`, and flattens arrays. */
export function append(element, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(printable(String(child))));
  }
  return element;
}

/** Replaces the content of an element. */
export function replace(element, ...children) {
  element.replaceChildren();
  return append(element, ...children);
}

let lastId = 0;

/** Returns an id that no other element of the page has. */
export function uniqueId(prefix) {
  lastId += 1;
  return `${prefix}-${lastId}`;
}

/** Sets the text of an element if it differs, which spares layout and screen readers. */
export function setText(element, text) {
  const shown = printable(text);
  if (element.textContent !== shown) element.textContent = shown;
}
