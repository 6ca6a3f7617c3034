// Feeds of payments: how far they are, and their rate against the ceiling.

import { el, replace } from "./dom.js";
import { count, dateTime, percent, relative } from "./format.js";
import { get, segment, send, withQuery } from "./http.js";
import { badge, bar, empty, explained, facts, field, input, loading, pageHead, panel, table } from "./widgets.js";

const REFRESH_MS = 2000;
const PAGE = 100;

export function show(main, { rest, signal }) {
  const list = el("div", {});
  const side = el("div", { class: "stack" });
  const [chosen] = rest;
  main.append(
    pageHead("Payments", "Feeds, how far they are, and what the downstream received."),
    el("div", { class: "stack" }, side, panel("Feeds", { flush: true }, list), finder(signal)),
  );

  async function draw() {
    const { feeds } = await get(withQuery("/api/v1/payments/feeds", { limit: PAGE }), { signal });
    return feeds.length === 0
      ? empty("There is no feed yet", "Hand over a file with ./weir payments run feed.csv, or make one with ./weir payments simulate.")
      : table("Feeds", [
          { title: "Feed", header: true, class: "break", cell: (feed) => el("a", { href: `#/payments/${encodeURIComponent(feed.feedId)}` }, feed.feedId) },
          { title: "State", cell: (feed) => badge(feed.state.toLowerCase(), feed.failed > 0 ? "danger" : "accent") },
          { title: "", spoken: "Progress", cell: (feed) => bar(progress(feed)) },
          { title: "Paid", number: true, cell: (feed) => `${count(feed.paid)} · ${percent(progress(feed))}` },
          { title: "Read", number: true, cell: (feed) => count(feed.read) },
          { title: "Rejected", number: true, cell: (feed) => count(feed.rejected) },
          { title: "Failed", number: true, cell: (feed) => count(feed.failed) },
          { title: "Last scheduled", class: "nowrap", cell: (feed) => (feed.lastScheduled ? dateTime(feed.lastScheduled) : "–") },
        ], feeds, { rowAttributes: (feed) => ({ class: feed.feedId === chosen && "selected" }) });
  }

  async function refresh() {
    try {
      replace(list, await draw());
    } catch {
      // The next round tries again; the table keeps what it has.
    }
  }

  loading(list, draw);
  if (chosen) loading(side, () => details(chosen, signal));
  const timer = setInterval(() => {
    if (!document.hidden && !list.contains(document.activeElement)) refresh();
  }, REFRESH_MS);
  signal.addEventListener("abort", () => clearInterval(timer));
}

/** Share of the payments of a feed that have ended. */
export function progress(feed) {
  const wanted = feed.read - feed.rejected - (feed.repeated ?? 0);
  return wanted > 0 ? (feed.paid + feed.failed + (feed.cancelled ?? 0)) / wanted : 0;
}

async function details(feedId, signal) {
  const path = `/api/v1/payments/feeds/${segment(feedId)}`;
  const feed = await get(path, { signal });
  const chart = el("div", {}, el("p", { class: "muted" }, "Loading the report."));
  report(path, feed, chart, signal);
  return el("div", { class: "split" },
    panel(feed.feedId, { hint: `Configuration ${feed.configName}` }, facts([
      ["State", feed.state.toLowerCase()],
      ["Read", count(feed.read)],
      ["Repeated", count(feed.repeated ?? 0)],
      ["Rejected", count(feed.rejected)],
      ["Slots assigned", count(feed.assigned)],
      ["Workflows started", count(feed.started)],
      ["Paid", `${count(feed.paid)} (${percent(progress(feed))} ended)`],
      ["Failed", count(feed.failed)],
      ["Cancelled", count(feed.cancelled ?? 0)],
      ["First scheduled", feed.firstScheduled && dateTime(feed.firstScheduled)],
      ["Last scheduled", feed.lastScheduled && `${dateTime(feed.lastScheduled)} (${relative(feed.lastScheduled)})`],
    ])),
    panel("Rate against the ceiling", { hint: "Calls that the downstream received in each second" }, chart));
}

/** The chart comes as an image, which cannot run anything. */
async function report(path, feed, place, signal) {
  try {
    const response = await send("GET", `${path}/report.svg`, { headers: { Accept: "image/svg+xml" }, signal });
    if (!response.ok) throw new Error("There is no report yet.");
    const text = await response.text();
    const image = el("img", { alt: `Calls per second of ${feed.feedId} with the ceiling`, class: "report", src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}` });
    replace(place, image);
  } catch (problem) {
    if (problem.name !== "AbortError") replace(place, el("p", { class: "muted" }, explained(problem)));
  }
}

function finder(signal) {
  const id = field("Payment id", input({ required: true, maxlength: "200" }));
  const result = el("div", { role: "status" });
  const form = el("form", {
    class: "row-end",
    onsubmit: async (event) => {
      event.preventDefault();
      await loading(result, async () => {
        const payment = await get(`/api/v1/payments/${segment(id.control.value)}`, { signal });
        return facts([
          ["State", payment.state.toLowerCase()],
          ["Feed", payment.feedId],
          ["Scheduled", payment.scheduledTime && dateTime(payment.scheduledTime)],
          ["Attempts", payment.attempts],
          ["Paid", payment.paidAt && dateTime(payment.paidAt)],
          ["Ended", payment.endedAt && dateTime(payment.endedAt)],
          ["Reason", payment.reason],
          ["Reference", payment.reference],
        ]);
      });
    },
  }, el("div", { class: "grow" }, id.element), el("button", { type: "submit" }, "Find"));
  return panel("Find a payment", {}, form, result);
}
