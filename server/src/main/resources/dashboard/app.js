// The shell: which page is shown, the token, the theme.

import { el, replace, setText } from "./ui/dom.js";
import { get, hasToken, onToken, setToken, wrongToken } from "./data/http.js";
import { keepPresses } from "./ui/press.js";
import { watch } from "./ui/watch.js";
import { button, empty, explained } from "./ui/widgets.js";

/** Pages by name; each module is loaded when it is first shown. */
const PAGES = [
  { name: "now", title: "Now", load: () => import("./pages/now.js") },
  { name: "slots", title: "Slots", load: () => import("./pages/slots.js") },
  { name: "configurations", title: "Configurations", load: () => import("./pages/configurations.js") },
  { name: "rules", title: "Rules", load: () => import("./pages/rules.js") },
];
const LAST_PAGE = { name: "try", title: "Try it", load: () => import("./pages/try-it.js") };

const PARTS_MS = 10_000;

/** After this time a page that is being loaded is announced. */
const SLOW_MS = 200;

const main = document.getElementById("content");
const nav = document.getElementById("nav");
const live = document.getElementById("live");
const themeButton = document.getElementById("theme");
const tokenButton = document.getElementById("token");
const access = document.getElementById("access");
let parts = null;
let partsAt = 0;
let shown = null;
let isMissing = false; // the page, because the node did not answer
let isEdited = false; // something was entered in the page

function route() {
  const [name = "now", ...rest] = location.hash.replace(/^#\/?/, "").split("/");
  return { name: name || "now", rest: rest.map(decoded) };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function pagesOfNode() {
  const added = (parts?.pages ?? []).map(({ name, title }) => ({ name, title, load: () => import(`./pages/${name}.js`) }));
  return [...PAGES, ...added, LAST_PAGE];
}

function drawNav(current) {
  replace(nav, pagesOfNode().map((page) =>
    el("li", {}, el("a", { href: `#/${page.name}`, "aria-current": page.name === current ? "page" : null }, page.title))));
  // On a phone the list scrolls sideways.
  const link = nav.querySelector("[aria-current]");
  if (link && nav.parentElement.scrollWidth > nav.parentElement.clientWidth) {
    nav.parentElement.scrollLeft = link.offsetLeft - nav.parentElement.clientWidth / 3;
  }
}

export function showLink(state, text) {
  live.dataset.state = state;
  setText(live, text);
}

async function show({ focus }) {
  shown?.abort();
  shown = new AbortController();
  const { signal } = shown;
  const { name, rest } = route();
  isMissing = false;
  isEdited = false;
  access.hidden = true;
  try {
    // Parts may start later than the node.
    if (!parts || performance.now() - partsAt > PARTS_MS) {
      const found = await loadParts();
      if (signal.aborted) return;
      parts = found;
    }
  } catch (problem) {
    if (!signal.aborted) showFailure(name, problem);
    return;
  }
  const page = pagesOfNode().find((one) => one.name === name);
  drawNav(page?.name);
  document.title = page ? `${page.title} · Weir` : "Weir";
  if (!page) {
    replace(main, empty("There is no such page", `This node has no page named “${name}”.`, el("a", { href: "#/now" }, "Go to Now")));
    return;
  }
  // The page before has ended, and must not seem to be this one.
  const slow = setTimeout(() => signal.aborted || replace(main, el("p", { class: "muted", role: "status" }, `Loading ${page.title}.`)), SLOW_MS);
  let module;
  try {
    module = await page.load();
  } catch {
    if (!signal.aborted) showFailure(name, new Error("This page could not be loaded."));
    return;
  } finally {
    clearTimeout(slow);
  }
  if (signal.aborted) return;
  main.replaceChildren();
  module.show(main, { parts, rest, signal, showLink, reload: () => signal.aborted || show({ focus: false }) });
  if (focus) {
    main.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
}

function showFailure(name, problem) {
  drawNav(name);
  if (problem.needsToken) {
    showLink("lost", "No access");
    access.hidden = true;
    replace(main, empty(tokenText(problem), "Enter the token of an administrator. It is kept in the memory of this page only, and is gone when you close it.",
      el("button", { type: "button", class: "primary", onclick: askToken }, hasToken() ? "Enter another token" : "Enter token")));
    return;
  }
  isMissing = true;
  showLink("lost", "Not connected");
  replace(main, empty("The node does not answer", `${explained(problem)} This page goes on when the node is back.`,
    el("button", { type: "button", onclick: () => show({ focus: true }) }, "Try again")));
}

function tokenText(problem) {
  if (!hasToken()) return "This node needs a token";
  return problem.status === 401 ? "The token is not valid" : "The token is not an administrator's";
}

async function loadParts() {
  const found = await get("/api/v1/dashboard/parts");
  partsAt = performance.now();
  setText(document.getElementById("version"), `Version ${found.version}`);
  showLink("live", "Connected");
  return found;
}

/** A page that asks again and again says it once, and stays. */
function showAccess(problem) {
  if (!access.hidden) return;
  replace(access, el("span", { class: "grow" }, `${tokenText(problem)}. What you entered stays while you enter another one.`), button("Enter another token", askToken));
  access.hidden = false;
}

let tokenDialog = null;

function askToken() {
  if (tokenDialog) return;
  const field = el("input", { type: "password", id: "token-field", autocomplete: "off", required: true, "aria-describedby": "token-hint",
    oninput: () => field.setCustomValidity("") });
  tokenDialog = el(
    "dialog",
    { "aria-labelledby": "token-title" },
    el(
      "form",
      {
        onsubmit: (event) => {
          event.preventDefault();
          const value = field.value.trim();
          field.setCustomValidity(wrongToken(value));
          if (!field.reportValidity()) return;
          tokenDialog.close();
          setToken(value);
        },
      },
      el("h2", { id: "token-title" }, "Token of an administrator"),
      el("div", { class: "field" }, el("label", { for: "token-field" }, "Token"), field,
        el("p", { class: "hint", id: "token-hint" }, "The value of weir.admin-token, or a token of your OpenID Connect issuer. It is kept in memory only.")),
      el("div", { class: "actions" }, el("button", { type: "button", onclick: () => tokenDialog.close() }, "Cancel"),
        el("button", { type: "submit", class: "primary" }, "Use token")),
    ),
  );
  tokenDialog.addEventListener("close", () => {
    tokenDialog.remove();
    tokenDialog = null;
  });
  document.body.append(tokenDialog);
  tokenDialog.showModal();
}

function drawTheme() {
  setText(themeButton, document.documentElement.dataset.theme === "dark" ? "Light theme" : "Dark theme");
}

tokenButton.addEventListener("click", () => {
  if (hasToken()) setToken("");
  else askToken();
});
onToken((present) => {
  tokenButton.hidden = false;
  setText(tokenButton, present ? "Forget token" : "Enter token");
  access.hidden = true;
  if (present && parts && isEdited) {
    // What was entered stays, and is sent with the new token.
    partsAt = -PARTS_MS;
    return;
  }
  parts = null;
  show({ focus: true });
});
document.addEventListener("tokenneeded", ({ detail: problem }) => {
  tokenButton.hidden = false;
  if (!hasToken()) askToken();
  // Without a page, its place says so.
  else if (parts) showAccess(problem);
});
main.addEventListener("input", () => {
  isEdited = true;
});
themeButton.addEventListener("click", () => {
  const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  document.documentElement.dispatchEvent(new CustomEvent("choosetheme", { detail: next }));
});
document.documentElement.addEventListener("themechange", drawTheme);
document.getElementById("skip").addEventListener("click", (event) => {
  // The fragment is the route.
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", () => show({ focus: true }));
drawTheme();
keepPresses();
watch(document.getElementById("watch"), (state) => {
  if (state === "lost") showLink("lost", "Not connected");
  else if (isMissing) show({ focus: false });
  // The page Now tells about its own connection.
  else if (parts && route().name !== "now") showLink("live", "Connected");
});
show({ focus: false });
