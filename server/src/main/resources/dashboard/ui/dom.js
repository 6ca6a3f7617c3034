// Builds elements. Text goes in as text nodes only: ids, keys and names come from callers of the
// service and must never be parsed as markup, nor look like others.

import { printable } from "../data/format.js";

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

/**
 * Makes the content of an element what the children are, and leaves what is the same in place, with the focus in it.
 * Children with a `data-key` are the same as those that had it. Listeners of what is left in place stay.
 */
export function update(element, ...children) {
  sync(element, append(document.createElement("div"), ...children), { attributes: false });
}

function sync(old, fresh, { attributes = true } = {}) {
  if (attributes) {
    for (const name of old.getAttributeNames()) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
    for (const name of fresh.getAttributeNames()) {
      if (old.getAttribute(name) === fresh.getAttribute(name)) continue;
      // The policy of the page refuses a style that is set as an attribute.
      if (name === "style") old.style.cssText = fresh.style.cssText;
      else old.setAttribute(name, fresh.getAttribute(name));
    }
  }
  const before = [...old.childNodes];
  const keyed = new Map(before.filter(keyOf).map((child) => [keyOf(child), child]));
  const wanted = [...fresh.childNodes].map((child, i) => {
    const same = keyOf(child) ? keyed.get(keyOf(child)) : before[i];
    if (!same || same.nodeName !== child.nodeName || keyOf(same) !== keyOf(child)) return child;
    if (child.nodeName !== "#text") sync(same, child);
    else if (same.data !== child.data) same.data = child.data;
    return same;
  });
  for (const child of before) if (!wanted.includes(child)) child.remove();
  wanted.forEach((child, i) => {
    if (old.childNodes[i] !== child) old.insertBefore(child, old.childNodes[i] ?? null);
  });
}

function keyOf(node) {
  return node.dataset?.key;
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
