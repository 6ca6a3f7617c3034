// As much of a page as the parts of the dashboard need: elements without layout, and a node that answers.

class FakeNode {
  parent = null;
  childNodes = [];

  get isConnected() {
    return this === document.body || (this.parent?.isConnected ?? false);
  }

  get textContent() {
    return this.childNodes.map((child) => child.textContent).join("");
  }

  set textContent(text) {
    this.replaceChildren(...(text === "" ? [] : [new FakeText(text)]));
  }

  get nextSibling() {
    return this.parent?.childNodes[this.parent.childNodes.indexOf(this) + 1] ?? null;
  }

  append(...nodes) {
    for (const node of nodes) this.insertBefore(node, null);
  }

  insertBefore(node, before) {
    node.remove();
    node.parent = this;
    this.childNodes.splice(before ? this.childNodes.indexOf(before) : this.childNodes.length, 0, node);
  }

  replaceChildren(...nodes) {
    for (const child of [...this.childNodes]) child.remove();
    this.append(...nodes);
  }

  replaceWith(node) {
    this.parent.insertBefore(node, this);
    this.remove();
  }

  remove() {
    if (!this.parent) return;
    if (this.contains(document.activeElement)) document.activeElement = document.body;
    this.parent.childNodes.splice(this.parent.childNodes.indexOf(this), 1);
    this.parent = null;
  }

  contains(node) {
    return node === this || this.childNodes.some((child) => child.contains(node));
  }

  hasChildNodes() {
    return this.childNodes.length > 0;
  }
}

class FakeText extends FakeNode {
  nodeName = "#text";

  constructor(data) {
    super();
    this.data = data;
  }

  get textContent() {
    return this.data;
  }
}

/** Only its text is known to the element, as the attribute `style`. */
class FakeStyle {
  get cssText() {
    return Object.entries(this).map(([name, value]) => `${name}: ${value};`).join(" ");
  }

  set cssText(text) {
    for (const name of Object.keys(this)) delete this[name];
    for (const [, name, value] of text.matchAll(/([^:; ]+): ([^;]+);/g)) this[name] = value;
  }
}

class FakeElement extends FakeNode {
  #value = "";
  attributes = new Map();
  listeners = {};
  dataset = {};
  style = new FakeStyle();
  classList = { add: () => {} };
  clientWidth = 0;

  constructor(name) {
    super();
    this.nodeName = name.toUpperCase();
    this.checked = false;
    this.hidden = false;
    this.disabled = false;
  }

  /** What was set; of a select whose value was not, that of the option that is selected. */
  get value() {
    if (this.nodeName !== "SELECT" || this.#value !== "") return this.#value;
    return this.all((one) => one.nodeName === "OPTION").find((one) => one.hasAttribute("selected"))?.value ?? "";
  }

  set value(value) {
    this.#value = value;
  }

  setAttribute(name, value) {
    if (name === "style") throw new Error("The policy of the page refuses this.");
    this.attributes.set(name, value);
    if (name.startsWith("data-")) this.dataset[name.slice(5)] = String(value);
    else if (["value", "type", "id", "href"].includes(name)) this[name] = value;
    else if (["hidden", "disabled", "checked"].includes(name)) this[name] = true;
  }

  getAttribute(name) {
    return name === "style" ? this.style.cssText || null : this.attributes.get(name) ?? null;
  }

  hasAttribute(name) {
    return this.getAttributeNames().includes(name);
  }

  getAttributeNames() {
    return [...this.attributes.keys(), ...(this.style.cssText ? ["style"] : [])];
  }

  removeAttribute(name) {
    this.attributes.delete(name);
  }

  addEventListener(name, listener) {
    (this.listeners[name] ??= []).push(listener);
  }

  /** Calls the listeners of this element and of those around it. */
  fire(name) {
    for (let place = this; place; place = place.parent) for (const listener of place.listeners?.[name] ?? []) listener({ target: this, preventDefault: () => {} });
  }

  focus() {
    document.activeElement = this;
  }

  scrollIntoView() {}

  showModal() {}

  close() {
    this.fire("close");
  }

  reportValidity() {
    return true;
  }

  setCustomValidity() {}

  querySelector() {
    return null;
  }

  /** All elements below that `isWanted`. */
  all(isWanted) {
    return this.childNodes.filter((child) => child instanceof FakeElement)
      .flatMap((child) => [...(isWanted(child) ? [child] : []), ...child.all(isWanted)]);
  }

  /** Only names of elements are known. */
  querySelectorAll(name) {
    return this.all((one) => one.nodeName === name.toUpperCase());
  }

  /** The control with a label. */
  control(label) {
    const [found] = this.all((one) => one.nodeName === "LABEL" && one.textContent === label);
    return this.all((one) => one.id !== undefined && one.id === found.getAttribute("for"))[0];
  }
}

// A page that is still open keeps no test from ending.
const { setInterval: every } = globalThis;
globalThis.setInterval = (...args) => every(...args).unref();

/** Makes an empty page the global one. `answer(method, path, body, headers)` returns what the node answers as JSON, or a promise of it. */
export function openPage(answer) {
  const listeners = {};
  const known = {}; // by id
  globalThis.Node = FakeNode;
  globalThis.ResizeObserver = class {
    observe() {}
    disconnect() {}
  };
  globalThis.document = {
    hidden: false,
    body: new FakeElement("body"),
    documentElement: new FakeElement("html"),
    createElement: (name) => new FakeElement(name),
    createElementNS: (space, name) => new FakeElement(name),
    createTextNode: (text) => new FakeText(text),
    addEventListener: (name, listener) => (listeners[name] ??= []).push(listener),
    dispatchEvent: (event) => listeners[event.type]?.forEach((listener) => listener(event)),
    getElementById: (id) => (known[id] ??= new FakeElement("div")),
  };
  document.activeElement = document.body;
  globalThis.addEventListener = () => {};
  globalThis.scrollTo = () => {};
  globalThis.location = { hash: "" };
  globalThis.fetch = async (path, { method, body, headers }) => {
    const found = await answer(method, path, body && JSON.parse(body), headers);
    return { ok: found.status === undefined, status: found.status ?? 200, text: async () => JSON.stringify(found) };
  };
  return document.body;
}

/** Waits until all that was asked has been answered and shown. */
export async function settled() {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}
