// Feeds of payments: how far they are, their rate against the ceiling, and what became of a payment.

import { el, replace } from "/ui/ui/dom.js";
import { count, dateTime, percent, printableId, relative, timeZone } from "/ui/data/format.js";
import { call, get, Problem, segment, send, withQuery } from "/ui/data/http.js";
import { badge, bar, button, confirmed, empty, explained, facts, field, input, loading, pageHead, panel, table, toast, withZone } from "/ui/ui/widgets.js";

/** The node counts each feed of a page anew, so pages are small and are not asked for often. */
const REFRESH_MS = 5000;
const PAGE = 20;
const MAX_REJECTS = 100;
const FEEDS = "/api/v1/payments/feeds";

const FEED_TONES = { RECEIVING: "", STARTING: "accent", STARTED: "accent", DONE: "good" };
const FEED_HINTS = {
  RECEIVING: "Its records arrive. Nothing is paid before all of them are stored.",
  STARTING: "Its payments get their slots.",
  STARTED: "Its payments wait for their slots or run.",
  DONE: "All payments have ended.",
};
const HELD_HINT = "It is held: no call of its payments is begun until ./weir payments resume.";
const PAYMENT_TONES = { REJECTED: "danger", SCHEDULED: "accent", RUNNING: "accent", PAID: "good", FAILED: "danger", CANCELLED: "" };

export function show(main, { rest, signal }) {
  const list = el("div", {});
  const side = el("div", { class: "stack" });
  const [chosen] = rest;
  const earlier = []; // where the pages before this one begin
  let after = "";
  let next;
  const newer = button("Newer", () => turn(earlier.pop()), { disabled: true });
  const older = button("Older", () => {
    earlier.push(after);
    turn(next);
  }, { disabled: true });
  main.append(
    pageHead("Payments", withZone("Feeds, how far they are, and what the payment API received.")),
    el("div", { class: "stack" }, side, panel("Feeds", { hint: "The newest first", flush: true, actions: [newer, older] }, list), finder(signal)),
  );

  function turn(to) {
    after = to;
    newer.disabled = true;
    older.disabled = true;
    loading(list, draw);
  }

  async function draw(isLast) {
    const page = await get(withQuery(FEEDS, { limit: PAGE, after }), { signal });
    if (!isLast()) return null;
    next = page.next;
    newer.disabled = earlier.length === 0;
    older.disabled = next === undefined;
    if (page.feeds.length > 0) return feedTable(page.feeds, chosen);
    return earlier.length > 0
      ? empty("There are no older feeds", "You have seen all of them.")
      : empty("There is no feed yet", "Send a feed of your own, or make one up and have it paid with ./weir payments simulate and ./weir payments run.",
          el("a", { class: "button", href: "#/try/sendFeed" }, "Send a feed"));
  }

  const detail = chosen && feedDetail(chosen, signal);
  if (detail) {
    side.append(detail.element);
    loading(detail.element, detail.draw);
  }
  loading(list, draw);

  let isRefreshing = false;

  async function refresh() {
    const asked = after;
    const isLast = () => asked === after && !list.hasAttribute("aria-busy");
    isRefreshing = true;
    try {
      const content = await draw(isLast);
      if (content !== null) replace(list, content);
      await detail?.refresh();
    } catch {
      // The next round tries again; until then the page keeps what it has.
    } finally {
      isRefreshing = false;
    }
  }

  const timer = setInterval(() => {
    if (!document.hidden && !isRefreshing && !list.hasAttribute("aria-busy") && !list.contains(document.activeElement)) refresh();
  }, REFRESH_MS);
  signal.addEventListener("abort", () => clearInterval(timer));
}

function feedTable(feeds, chosen) {
  return table("Feeds", [
    { title: "Feed", header: true, class: "break", cell: (feed) => el("a", { href: `#/payments/${encodeURIComponent(feed.feedId)}` }, printableId(feed.feedId)) },
    { title: "State", cell: stateText },
    { title: "", spoken: "Progress", secondary: true, cell: (feed) => bar(progress(feed)) },
    { title: "Ended", number: true, cell: (feed) => percent(progress(feed)) },
    { title: "Paid", number: true, cell: (feed) => count(feed.paid) },
    { title: "Failed", number: true, cell: (feed) => wrong(feed.failed) },
    { title: "Cancelled", number: true, secondary: true, cell: (feed) => count(feed.cancelled) },
    { title: "Read", number: true, secondary: true, cell: (feed) => count(feed.read) },
    { title: "Rejected", number: true, secondary: true, cell: (feed) => wrong(feed.rejected) },
    { title: "Last scheduled", class: "nowrap", secondary: true, cell: (feed) => (feed.lastScheduled ? dateTime(feed.lastScheduled) : "–") },
  ], feeds, { rowAttributes: (feed) => ({ class: feed.feedId === chosen && "selected" }) });
}

/** A feed that has ended has nothing left to hold. */
function isHeld(feed) {
  return feed.held && feed.state !== "DONE";
}

function stateText(feed) {
  return [badge(feed.state.toLowerCase(), FEED_TONES[feed.state]), isHeld(feed) && [" ", badge("held", "warning")]];
}

function wrong(number) {
  return number > 0 ? badge(count(number), "danger") : "0";
}

/** Share of the payments of a feed that have ended. */
export function progress(feed) {
  const wanted = feed.read - feed.rejected - feed.repeated;
  if (wanted > 0) return (feed.paid + feed.failed + feed.cancelled) / wanted;
  return feed.state === "DONE" ? 1 : 0;
}

/** The chosen feed. It is drawn again until it has ended. */
function feedDetail(feedId, signal) {
  const element = el("div", {});
  let last = "";

  async function draw() {
    const path = `${FEEDS}/${segment(feedId)}`;
    const feed = await get(path, { signal });
    last = feed.state;
    const [chart, rejects] = await Promise.all([report(path, feed, signal), feed.rejected > 0 ? rejectsOf(path, signal) : null]);
    return el("div", { class: "stack" },
      el("div", { class: "split" },
        panel(printableId(feed.feedId), { hint: isHeld(feed) ? HELD_HINT : FEED_HINTS[feed.state] }, feedFacts(feed)),
        panel("Rate against the ceiling", { hint: "Calls of the payment API in each second, as the nodes recorded them", flush: true }, chart)),
      rejects && panel("Rejected records", { hint: feed.rejected > MAX_REJECTS ? `The first ${MAX_REJECTS} of ${count(feed.rejected)}` : "They are not paid. Correct them and send them as another feed.", flush: true }, rejects));
  }

  return {
    element,
    draw,
    async refresh() {
      if (last !== "DONE") replace(element, await draw());
    },
  };
}

function feedFacts(feed) {
  return facts([
    ["State", stateText(feed)],
    ["Held because", isHeld(feed) ? feed.heldReason : null],
    ["Configuration", feed.configName],
    ["Records read", count(feed.read)],
    ["Repeated, skipped", count(feed.repeated)],
    ["Rejected", wrong(feed.rejected)],
    ["Slots assigned", count(feed.assigned)],
    ["Started", count(feed.started)],
    ["Paid", `${count(feed.paid)} (${percent(progress(feed))} have ended)`],
    ["Failed", wrong(feed.failed)],
    ["Cancelled", count(feed.cancelled)],
    ["First scheduled", feed.firstScheduled && dateTime(feed.firstScheduled)],
    ["Last scheduled", feed.lastScheduled && `${dateTime(feed.lastScheduled)} (${relative(feed.lastScheduled)})`],
  ]);
}

/** The chart comes as an image, which cannot run anything. */
async function report(path, feed, signal) {
  if (feed.paid + feed.failed === 0) return el("p", { class: "empty" }, "No call of this feed is recorded yet.");
  const text = await chartOf(path, signal);
  return el("img", { alt: `Calls per second of ${feed.feedId} with the ceiling`, class: "chart-image", src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}` });
}

/** Its times are in the zone of the page, or in UTC, as it says, if the node does not know that zone. */
async function chartOf(path, signal) {
  const type = "image/svg+xml";
  try {
    return await lines(withQuery(`${path}/report.svg`, { timeZone: timeZone() }), type, signal);
  } catch (problem) {
    if (problem.status !== 400) throw problem;
    return lines(`${path}/report.svg`, type, signal);
  }
}

async function rejectsOf(path, signal) {
  const text = await lines(withQuery(`${path}/rejects`, { limit: MAX_REJECTS }), "application/x-ndjson", signal);
  return table("Rejected records", [
    { title: "Line", header: true, cell: (row) => count(row.line) },
    { title: "Reason", class: "break", cell: (row) => row.reason },
    { title: "Record", class: "break", cell: (row) => el("span", { class: "mono" }, row.record) },
  ], text.split("\n").filter(Boolean).map((line) => JSON.parse(line)));
}

async function lines(path, type, signal) {
  const response = await send("GET", path, { headers: { Accept: `${type}, application/problem+json` }, signal });
  if (!response.ok) throw new Problem(response.status, await response.json().catch(() => ({})));
  return response.text();
}

function finder(signal) {
  const id = field("Payment id", input({ required: true, maxlength: "200" }));
  const result = el("div", { class: "stack-small", role: "status" });
  const find = (paymentId) => loading(result, async (isLast) => payment(await get(paymentPath(paymentId), { signal }),
    () => isLast() && find(paymentId)));
  const form = el("form", {
    class: "row-end",
    onsubmit: (event) => {
      event.preventDefault();
      find(id.control.value);
    },
  }, el("div", { class: "grow" }, id.element), el("button", { type: "submit" }, "Find"));
  return panel("Find a payment", {}, form, result);
}

/** The address of a payment. One is that of the list of feeds. */
export function paymentPath(paymentId) {
  if (paymentId === "feeds") throw new Problem(400, { detail: "A payment with the id “feeds” cannot be asked for: its address is that of the list of feeds." });
  return `/api/v1/payments/${segment(paymentId)}`;
}

function payment(found, changed) {
  return [
    facts([
      ["State", badge(found.state.toLowerCase(), PAYMENT_TONES[found.state])],
      ["Feed", el("a", { href: `#/payments/${encodeURIComponent(found.feedId)}` }, printableId(found.feedId))],
      ["Scheduled", found.scheduledTime && `${dateTime(found.scheduledTime)} (${relative(found.scheduledTime)})`],
      ["Calls", count(found.attempts)],
      ["Paid", found.paidAt && dateTime(found.paidAt)],
      ["Ended", found.endedAt && dateTime(found.endedAt)],
      ["Reason", found.state === "CANCELLED" ? null : found.reason],
      ["Reference", found.reference],
    ]),
    found.state === "SCHEDULED" && el("div", {}, button("Cancel the payment", () => cancel(found.paymentId, changed), { kind: "danger" })),
  ];
}

async function cancel(paymentId, changed) {
  if (!(await confirmed("Cancel this payment?", `${printableId(paymentId)} will not be made, and its slot is free for others. This cannot be taken back.`, "Cancel it"))) return;
  try {
    await call("DELETE", paymentPath(paymentId));
    toast(`${printableId(paymentId)} is cancelled.`);
  } catch (problem) {
    toast(explained(problem), "danger");
  }
  changed();
}
