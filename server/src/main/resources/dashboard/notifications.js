// Messages to users: limits, how much of them is used, and the state of a message.

import { el, replace } from "./dom.js";
import { count, dateTime, relative, span } from "./format.js";
import { call, get, post, segment, withQuery } from "./http.js";
import { bar, badge, busy, button, confirmed, empty, explained, facts, field, input, loading, notice, pageHead, panel, select, table, toast } from "./widgets.js";

const PAGE = 50;
const TONES = { deferred: "warning", accepted: "accent", sent: "accent", delivered: "good", failed: "danger", cancelled: "" };

export function show(main, { parts, signal }) {
  const users = userPanel(signal);
  const message = messagePanel(signal);
  main.append(
    pageHead("Notifications", "How many messages users get, and what became of a message."),
    el("div", { class: "stack" },
      users.element,
      el("div", { class: "split" }, sendPanel(signal, (messageId) => { users.reload(); message.find(messageId); }), message.element),
      el("div", { class: "split" }, limitPanel(signal, users.reload), replayPanel(signal)),
      parts.analytics && analytics(signal)),
  );
}

function userPanel(signal) {
  const body = el("div", {});
  const more = button("More users", () => loading(body, () => load(last)), { hidden: true });
  let shown = [];
  let last;

  async function load(after) {
    const page = await get(withQuery("/api/config", { limit: PAGE, after }), { signal });
    shown = after === undefined ? page.users : [...shown, ...page.users];
    last = shown.at(-1)?.userId;
    more.hidden = page.users.length < PAGE;
    return shown.length === 0
      ? empty("No user has a limit yet", "Set the limit of a user below. The first one starts Kafka if this node brings its own, which takes some seconds.")
      : table("Users", [
          { title: "User", header: true, cell: (user) => user.userId },
          { title: "Used", number: true, cell: (user) => `${count(user.currentCount)} of ${count(user.rateLimit)}` },
          { title: "", spoken: "Share", secondary: true, cell: (user) => bar(user.currentCount / user.rateLimit, user.currentCount >= user.rateLimit ? "danger" : undefined) },
          { title: "Window", class: "nowrap", cell: (user) => span(user.timeWindow * 60_000) },
          { title: "Algorithm", secondary: true, cell: (user) => (user.algorithm === "SLIDING_WINDOW" ? "sliding" : "fixed") },
          { title: "A message costs", secondary: true, cell: (user) => (user.cost === "PARTS" ? "its parts" : "1") },
          { title: "Open", secondary: true, cell: (user) => (user.openHours ? "opening hours" : "always") },
          { title: "Window since", class: "nowrap", cell: (user) => relative(user.lastRefreshTime) },
        ], shown);
  }

  const reload = () => loading(body, () => load());
  reload();
  return { element: panel("Users", { hint: "Limits, and how much of the current window is used", flush: true, actions: more }, body), reload };
}

function form(action, onSubmit, ...fields) {
  const status = notice();
  const send = el("button", { type: "submit", class: "primary" }, action);
  return el("form", {
    class: "stack-small",
    onsubmit: (event) => {
      event.preventDefault();
      busy(send, status, () => onSubmit(status));
    },
  }, el("div", { class: "form" }, fields), el("div", { class: "row" }, send), status.element);
}

function limitPanel(signal, done) {
  const user = field("User", input({ type: "number", min: "0", required: true }));
  const limit = field("Messages", input({ type: "number", min: "1", required: true, value: "10" }));
  const minutes = field("Window in minutes", input({ type: "number", min: "1", required: true, value: "60" }));
  const algorithm = field("Algorithm", select([["FIXED_WINDOW", "fixed window"], ["SLIDING_WINDOW", "sliding window"]], "FIXED_WINDOW"));
  return panel("Limit of a user", {}, form("Save", async (status) => {
    await post("/api/config", { userId: Number(user.control.value), rateLimit: Number(limit.control.value), timeWindow: Number(minutes.control.value), algorithm: algorithm.control.value }, { signal });
    status.show(`User ${user.control.value} gets up to ${limit.control.value} messages in ${minutes.control.value} min.`, "good");
    done();
  }, user.element, limit.element, minutes.element, algorithm.element));
}

function sendPanel(signal, done) {
  const user = field("User", input({ type: "number", min: "0", required: true }));
  const message = field("Message", input({ required: true }), { wide: true });
  const closed = field("Outside the hours", select([["refuse", "refuse"], ["defer", "defer"]], "refuse"));
  return panel("Send a message", {}, form("Send", async (status) => {
    const sent = await post("/api/send", { userId: Number(user.control.value), message: message.control.value, whenClosed: closed.control.value }, { signal });
    status.show(`Message ${sent.messageId} is ${sent.state ?? "accepted"}.`, "good");
    done(sent.messageId);
  }, user.element, closed.element, message.element));
}

function messagePanel(signal) {
  const id = field("Message id", input({ required: true, class: "mono" }), { wide: true });
  const result = el("div", { class: "stack-small" });
  const find = async () => {
    const found = await get(`/api/messages/${segment(id.control.value.trim())}`, { signal });
    replace(result, facts([
      ["State", badge(found.state, TONES[found.state])],
      ["User", found.userId],
      ["Parts", found.parts],
      ["Created", dateTime(found.createdAt)],
      ["Changed", dateTime(found.changedAt)],
      ["Due", found.dueAt && dateTime(found.dueAt)],
      ["Reason", found.reason],
    ]), found.state === "deferred" && el("div", {}, button("Cancel the message", async () => {
      try {
        await call("DELETE", `/api/messages/${segment(found.messageId)}`, { signal });
        toast("The message is cancelled.");
        await find();
      } catch (problem) {
        toast(explained(problem), "danger");
      }
    }, { kind: "danger" })));
  };
  return {
    element: panel("Find a message", {}, form("Find", async () => {
      result.replaceChildren();
      await find();
    }, id.element), result),
    find(messageId) {
      id.control.value = messageId;
      find().catch((problem) => toast(explained(problem), "danger"));
    },
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

