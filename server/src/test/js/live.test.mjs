import assert from "node:assert/strict";
import test from "node:test";
import { follow, linkText } from "../../main/resources/dashboard/data/live.js";
import { Samples } from "../../main/resources/dashboard/data/samples.js";

const NOW = { state: {}, seconds: [1], series: { allowed: [1] } };

/** Runs `follow` against `answer(path, signal)` until `done()`; returns what was said about the connection. */
async function followed(t, answer, until) {
  const page = new AbortController();
  const links = [];
  t.mock.timers.enable({ apis: ["setTimeout"] });
  globalThis.document = Object.assign(new EventTarget(), { hidden: false });
  globalThis.fetch = async (path, { signal }) => answer(path, signal);
  const samples = new Samples();
  const running = follow(samples, {
    signal: page.signal,
    onChange: () => {},
    onState: () => {},
    onLink: (link, problem) => links.push(linkText(link, problem)),
  });
  for (let i = 0; i < 1000 && !until(links, samples); i++) {
    await new Promise((resolve) => setImmediate(resolve));
    t.mock.timers.tick(100);
  }
  page.abort();
  t.mock.timers.tick(60_000);
  await running;
  return links;
}

/** A body that says `text` and then nothing, without an end. */
function silentAfter(text) {
  return new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(text)) });
}

/** A node that accepts a connection and never answers. */
function stuck(signal) {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
  });
}

test("a stream that falls silent is not called live", async (t) => {
  const links = await followed(t, (path) => (path.startsWith("/api/v1/dashboard/now")
    ? Response.json(NOW)
    : new Response(silentAfter(": weir\n\n"))), (seen) => seen.length >= 3);
  assert.deepEqual(links.slice(0, 3), ["Live", "Reconnecting", "Live"]);
});

test("a node that answers nothing is asked again", async (t) => {
  let asked = 0;
  const links = await followed(t, (path, signal) => {
    if (path.startsWith("/api/v1/dashboard/stream")) return new Response(silentAfter(": weir\n\n"));
    return asked++ === 0 ? stuck(signal) : Response.json(NOW);
  }, (seen) => seen.includes("Live"));
  assert.deepEqual(links.slice(0, 2), ["Reconnecting", "Live"]);
});

test("says that there are too many viewers", async (t) => {
  const links = await followed(t, (path) => (path.startsWith("/api/v1/dashboard/now")
    ? Response.json(NOW)
    : Response.json({ type: "urn:weir:problem:too-many-viewers", detail: "32 viewers watch this node already." }, { status: 503 })),
  (seen) => seen.length >= 1);
  assert.equal(links[0], "Too many viewers, trying again");
});

test("takes the history anew after a stream has ended, also if it begins earlier", async (t) => {
  let asked = 0;
  let known;
  await followed(t, (path) => {
    if (path.startsWith("/api/v1/dashboard/now")) return Response.json(asked++ === 0 ? { ...NOW, seconds: [5000] } : { ...NOW, seconds: [1000] });
    return new Response(asked === 1 ? 'event: end\ndata: {"reason":"clock-set-back"}\n\n' : silentAfter('event: sample\ndata: {"second":1001}\n\n'));
  }, (links, samples) => {
    known = [...samples.seconds];
    return samples.last() === 1001;
  });
  assert.deepEqual(known, [1000, 1001]);
});

test("goes on at once, and without a gap, when the node asks to renew the stream", async (t) => {
  const asked = [];
  const links = await followed(t, (path) => {
    asked.push(path);
    if (path.startsWith("/api/v1/dashboard/now")) return Response.json(NOW);
    return new Response(asked.length === 2
      ? 'event: sample\ndata: {"second":2}\n\nevent: end\ndata: {"reason":"renew"}\n\n'
      : silentAfter('event: sample\ndata: {"second":3}\n\n'));
  }, (seen, samples) => samples.last() === 3);
  assert.deepEqual(asked, ["/api/v1/dashboard/now", "/api/v1/dashboard/stream?after=1", "/api/v1/dashboard/stream?after=2"]);
  assert.deepEqual(links, ["Live", "Live"]);
});

test("asks for a token if the renewed stream is refused, and says nothing of a lost node", async (t) => {
  let streams = 0;
  let asked = 0;
  const links = await followed(t, (path) => {
    if (streams === 0) document.addEventListener("tokenneeded", () => { asked += 1; });
    if (path.startsWith("/api/v1/dashboard/now")) return Response.json(NOW);
    streams += 1;
    return streams === 1
      ? new Response('event: sample\ndata: {"second":2}\n\nevent: end\ndata: {"reason":"renew"}\n\n')
      : Response.json({ type: "urn:weir:problem:not-authenticated" }, { status: 401 });
  }, (seen) => seen.length >= 2);
  assert.deepEqual(links, ["Live", "No access"]);
  assert.equal(streams, 2);
  assert.ok(asked >= 1);
});

test("pauses if a stream ends without a sample", async (t) => {
  let streams = 0;
  const links = await followed(t, (path) => {
    if (path.startsWith("/api/v1/dashboard/now")) return Response.json(NOW);
    streams += 1;
    return new Response('event: end\ndata: {"reason":"renew"}\n\n');
  }, (seen) => seen.length >= 4);
  assert.deepEqual(links.slice(0, 4), ["Live", "Reconnecting", "Live", "Reconnecting"]);
  assert.equal(streams, 2);
});
