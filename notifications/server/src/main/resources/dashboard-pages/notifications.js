// Messages to users: limits, how much of them is used, and the state of a message.

import { el, replace } from "/ui/ui/dom.js";
import { count, dateTime, exactSpan, relative } from "/ui/data/format.js";
import { call, get, post, segment, withQuery } from "/ui/data/http.js";
import { jsonWithNumber } from "/ui/data/json.js";
import { limitToStore, NEW_LIMIT, openText } from "./notifications/user-limit.js";
import { bar, badge, busy, button, confirmed, empty, explained, facts, field, input, lastOnly, loading, notice, pageHead, panel, reloading, select, table, toast, withZone } from "/ui/ui/widgets.js";

const PAGE = 50;
const ENDED = new Set(["delivered", "failed", "cancelled"]);
const TONES = { deferred: "warning", accepted: "accent", unknown: "warning", sent: "accent", delivered: "good", failed: "danger", cancelled: "" };

export function show(main, { parts, signal }) {
  const users = userPanel(signal);
  const message = messagePanel(signal);
  const messages = listPanel(signal, message.show);
  main.append(
    pageHead("Notifications", withZone("How many messages users get, and what became of a message.")),
    el("div", { class: "stack" },
      users.element,
      el("div", { class: "split" }, sendPanel(signal, (messageId) => { users.reload(); messages.reload(); message.find(messageId); }), message.element),
      messages.element,
      el("div", { class: "split" }, limitPanel(signal, users.reload), replayPanel(signal)),
      parts.analytics && analytics(signal)),
  );
}

function userPanel(signal) {
  const body = el("div", {});
  const more = button("More users", () => loading(body, (isLast) => load(isLast, last)), { hidden: true });
  let shown = [];
  let turned = false; // beyond the first page
  let last;

  async function load(isLast, after) {
    const page = await get(withQuery("/api/config", { limit: PAGE, after }), { signal });
    if (!isLast()) return null;
    turned = after !== undefined;
    shown = turned ? [...shown, ...page.users] : page.users;
    last = shown.at(-1)?.userId;
    more.hidden = page.users.length < PAGE;
    return shown.length === 0
      ? empty("No user has a limit yet", "Set the limit of a user below. The first one starts Kafka if this node brings its own, which takes some seconds.")
      : table("Users", [
          { title: "User", header: true, cell: (user) => user.userId },
          { title: "Used", number: true, cell: (user) => `${count(user.currentCount)} of ${count(user.rateLimit)}` },
          { title: "", spoken: "Share", secondary: true, cell: (user) => bar(user.currentCount / user.rateLimit, user.currentCount >= user.rateLimit ? "danger" : undefined) },
          { title: "Window", class: "nowrap", cell: (user) => exactSpan(user.timeWindow * 60_000) },
          { title: "Algorithm", secondary: true, cell: (user) => (user.algorithm === "SLIDING_WINDOW" ? "sliding" : "fixed") },
          { title: "A message costs", secondary: true, cell: (user) => (user.cost === "PARTS" ? "its parts" : "1") },
          { title: "Open", secondary: true, cell: (user) => (user.openHours ? "opening hours" : "always") },
          { title: "Window since", class: "nowrap", cell: (user) => relative(user.lastRefreshTime) },
        ], shown, { rowAttributes: (user) => ({ "data-key": user.userId }) });
  }

  const reload = () => loading(body, (isLast) => load(isLast));
  reload();
  reloading(body, (isLast) => (turned ? null : load(isLast)), signal); // further pages stay as they were read
  return { element: panel("Users", { hint: "Limits, and how much of the current window is used", flush: true, actions: more }, body), reload };
}

function form(action, onSubmit, ...fields) {
  const status = notice();
  const send = el("button", { type: "submit", class: "primary" }, action);
  return el("form", {
    class: "stack-small",
    onsubmit: (event) => {
      event.preventDefault();
      status.clear();
      busy(send, status, () => onSubmit(status));
    },
  }, el("div", { class: "form" }, fields), el("div", { class: "row" }, send), status.element);
}

/** Ids have up to 19 digits, more than a number of JavaScript keeps apart. */
function userField(required = true) {
  return field("User", input({ inputmode: "numeric", pattern: "[0-9]{1,19}", maxlength: "19", title: "A whole number", required }));
}

/** A limit is stored as a whole: what the user has already is read first, shown, and stored again. */
function limitPanel(signal, done) {
  const user = userField();
  const fields = {
    rateLimit: field("Messages", input({ type: "number", min: "1", required: true })),
    timeWindow: field("Window in minutes", input({ type: "number", min: "1", required: true })),
    algorithm: field("Algorithm", select([["FIXED_WINDOW", "fixed window"], ["SLIDING_WINDOW", "sliding window"]])),
    cost: field("A message costs", select([["MESSAGE", "1"], ["PARTS", "its parts"]])),
  };
  const open = el("p", { class: "muted small wide break", role: "status" });
  const edited = new Set();
  const asking = lastOnly();

  const find = (userId) => get(`/api/config/${segment(userId)}`, { signal }).catch((problem) => {
    if (problem.status === 404) return null;
    throw problem;
  });

  /** Shows a limit; fields that were edited keep what was entered. */
  function fill(found) {
    const shown = limitToStore(found, {});
    for (const [name, one] of Object.entries(fields)) if (!edited.has(name)) one.control.value = String(shown[name]);
    replace(open, found && `In force: up to ${count(found.rateLimit)} in ${count(found.timeWindow)} min. May be sent messages: ${openText(found)}.`);
  }

  function entered() {
    const value = (name) => (typeof NEW_LIMIT[name] === "number" ? Number(fields[name].control.value) : fields[name].control.value);
    return Object.fromEntries([...edited].map((name) => [name, value(name)]));
  }

  for (const [name, one] of Object.entries(fields)) one.control.addEventListener("input", () => edited.add(name));
  user.control.addEventListener("change", async () => {
    const isLast = asking();
    const userId = user.control.value.trim();
    const found = /^[0-9]+$/.test(userId) ? await find(userId).catch(() => null) : null;
    if (isLast()) fill(found);
  });
  fill(null);
  return panel("Limit of a user", { hint: "Opening hours stay as they are; the API sets them" }, form("Save", async (status) => {
    const isLast = asking();
    const userId = user.control.value.trim();
    const found = await find(userId);
    const sent = entered();
    const stored = await call("POST", "/api/config", { body: jsonWithNumber("userId", userId, limitToStore(found, sent)), signal });
    if (isLast()) {
      // What was entered meanwhile stays, and is not stored yet.
      const present = entered();
      for (const [name, value] of Object.entries(sent)) if (present[name] === value) edited.delete(name);
      fill(stored);
    }
    status.show(`User ${stored.userId} gets up to ${count(stored.rateLimit)} messages in ${count(stored.timeWindow)} min.`, "good");
    done();
  }, user.element, Object.values(fields).map((one) => one.element), open));
}

function sendPanel(signal, done) {
  const user = userField();
  const message = field("Message", input({ required: true }), { wide: true });
  const closed = field("Outside the hours", select([["refuse", "refuse"], ["defer", "defer"]], "refuse"));
  return panel("Send a message", {}, form("Send", async (status) => {
    const sent = await call("POST", "/api/send", {
      body: jsonWithNumber("userId", user.control.value.trim(), { message: message.control.value, whenClosed: closed.control.value }),
      signal,
    });
    status.show(`Message ${sent.messageId} is ${sent.state ?? "accepted"}.`, "good");
    done(sent.messageId);
  }, user.element, closed.element, message.element));
}

function messagePanel(signal) {
  const id = field("Message id", input({ required: true, class: "mono" }), { wide: true });
  const result = el("div", { class: "stack-small" });
  const asking = lastOnly();
  let filled = ""; // what the page itself has put into the field
  let shown = null;
  const read = (messageId) => get(`/api/messages/${segment(messageId)}`, { signal });
  const draw = (found) => {
    shown = found;
    return [facts([
      ["State", badge(found.state, TONES[found.state])],
      ["User", found.userId],
      ["Parts", found.parts],
      ["Created", dateTime(found.createdAt)],
      ["Changed", dateTime(found.changedAt)],
      ["Due", found.dueAt && dateTime(found.dueAt)],
      ["Reason", found.reason],
    ]), found.state === "deferred" && el("div", {}, button("Cancel the message", async () => {
      try {
        await call("DELETE", `/api/messages/${segment(found.messageId)}`);
        toast("The message is cancelled.");
        if (shown?.messageId === found.messageId) await find(found.messageId);
      } catch (problem) {
        toast(explained(problem), "danger");
      }
    }, { kind: "danger" }))];
  };
  const find = async (messageId) => {
    const isLast = asking();
    shown = null;
    const found = await read(messageId);
    if (isLast()) replace(result, draw(found));
  };
  reloading(result, async () => {
    const before = shown;
    if (before === null || ENDED.has(before.state)) return null;
    const found = await read(before.messageId);
    return shown === before ? draw(found) : null;
  }, signal);
  return {
    element: panel("Find a message", {}, form("Find", async () => {
      result.replaceChildren();
      await find(id.control.value.trim());
    }, id.element), result),
    /** Shows a message that was chosen from the list. */
    show(messageId) {
      id.control.value = filled = messageId;
      id.element.scrollIntoView({ block: "center" });
      return find(messageId);
    },
    find(messageId) {
      // Sending may take long, and the user may look for another message meanwhile.
      if (id.control.value !== filled) return;
      id.control.value = filled = messageId;
      find(messageId).catch((problem) => toast(explained(problem), "danger"));
    },
  };
}

/** Messages by user and state, the newest first. Of a rare state a page may be empty and still not the last. */
function listPanel(signal, open) {
  const user = userField(false);
  const state = field("State", select([["", "any"], ...Object.keys(TONES).map((name) => [name, name])], ""));
  const body = el("div", {});
  const more = button("Older messages", () => loading(body, (isLast) => load(isLast, next)), { hidden: true });
  let asked = {};
  let shown = [];
  let turned = false; // beyond the first page
  let next;

  async function load(isLast, cursor) {
    const page = await get(withQuery("/api/messages", { ...asked, limit: PAGE, cursor }), { signal });
    if (!isLast()) return null;
    turned = cursor !== undefined;
    shown = turned ? [...shown, ...page.messages] : page.messages;
    next = page.next;
    more.hidden = next === undefined;
    if (shown.length === 0) {
      if (!asked.userId && !asked.state && next === undefined) return empty("There is no message yet", "Send one above. Messages are kept for weir.notifications.retention after they have ended.");
      return next === undefined
        ? empty("There is no such message", "Messages are kept for weir.notifications.retention after they have ended.")
        : empty("There is no such message among the newest", "There may be older ones.");
    }
    return table("Messages", [
      { title: "Created", header: true, class: "nowrap", cell: (message) => dateTime(message.createdAt) },
      { title: "User", cell: (message) => message.userId },
      { title: "State", cell: (message) => badge(message.state, TONES[message.state]) },
      { title: "Since", class: "nowrap", secondary: true, cell: (message) => relative(message.changedAt) },
      { title: "Reason", class: "break", secondary: true, cell: (message) => message.reason ?? "" },
      { title: "", cell: (message) => button("Show", () => open(message.messageId).catch((problem) => toast(explained(problem), "danger")),
        { "aria-label": `Show message ${message.messageId}` }) },
    ], shown, { rowAttributes: (message) => ({ "data-key": message.messageId }) });
  }

  const reload = () => loading(body, (isLast) => load(isLast));
  reload();
  reloading(body, (isLast) => (turned ? null : load(isLast)), signal); // further pages stay as they were read
  return {
    element: panel("Messages", { hint: "The newest first", flush: true, actions: more },
      el("div", { class: "panel-body" }, form("List", () => {
        asked = { userId: user.control.value.trim(), state: state.control.value };
        return reload();
      }, user.element, state.element)), body),
    reload,
  };
}

function replayPanel(signal) {
  const status = notice();
  const replay = button("Replay", async () => {
    if (!(await confirmed("Publish dead letters again?", "Messages that could not be delivered are handed to the senders again.", "Replay"))) return;
    await busy(replay, status, async () => {
      const { replayed } = await post("/api/admin/messages/replay", undefined, { signal });
      status.show(`${count(replayed)} messages were published again.`, "good");
    });
  });
  return panel("Messages that could not be delivered", { hint: "The topic of dead letters" },
    el("p", { class: "muted" }, "After the provider is back, publish them again. Messages that were delivered meanwhile are not sent twice."),
    el("div", {}, replay), status.element);
}

function analytics(signal) {
  const part = (title, path, draw) => {
    const body = el("div", {});
    loading(body, async () => draw(await get(path, { signal })));
    return panel(title, { flush: true }, body);
  };
  const none = () => el("p", { class: "empty" }, "No messages in this time.");
  const userTable = (title, counted) => (found) => (found.users.length === 0 ? none() : table(title, [
    { title: "User", header: true, cell: (row) => row.userId },
    { title: counted === "refusals" ? "Refused" : "Messages", number: true, cell: (row) => count(row[counted]) },
  ], found.users));
  return el("div", { class: "split" },
    part("Top users", withQuery("/api/analytics/users", { limit: 10 }), userTable("Top users", "messages")),
    part("Limited users", withQuery("/api/analytics/limited", { limit: 10 }), userTable("Limited users", "refusals")));
}

