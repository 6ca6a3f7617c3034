// Measures how smoothly Chromium draws the page Now while a thousand decisions a second are made,
// how smoothly it draws a page that does nothing, and how many bytes the first load of the page
// transfers.
//
//   node frames.mjs FOLDER_OF_PLAYWRIGHT ADDRESS SECONDS
//
// Prints a name and a number in each line. Long steps are those of the browser's trace.
import { Agent, request } from "node:http";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, node, seconds] = process.argv.slice(2);
const DECISIONS_A_SECOND = 1000;
const MAX_WAITING = 200;
const FRAME_MS = 1000 / 60;
const { chromium } = await import(pathToFileURL(join(folder, "package", "index.mjs")));
const agent = new Agent({ keepAlive: true, maxSockets: 16 });

function post(path, body) {
  return new Promise((resolve) => {
    const sent = request(new URL(path, node), { method: "POST", agent, headers: { "Content-Type": "application/json" } }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode));
    });
    sent.on("error", () => resolve(0));
    sent.end(JSON.stringify(body));
  });
}

/** Returns the time between any two frames. */
function intervals(page) {
  return page.evaluate((ms) => new Promise((resolve) => {
    const found = [];
    const begin = performance.now();
    let last = begin;
    const tick = (now) => {
      found.push(now - last);
      last = now;
      if (now - begin < ms) requestAnimationFrame(tick);
      else resolve(found.slice(1));
    };
    requestAnimationFrame(tick);
  }), Number(seconds) * 1000);
}

function summary(found) {
  const sorted = [...found].sort((a, b) => a - b);
  return {
    perSecond: found.length / (found.reduce((sum, ms) => sum + ms, 0) / 1000),
    p99Millis: sorted[Math.floor((sorted.length - 1) * 0.99)],
    maxMillis: sorted.at(-1),
  };
}

const browser = await chromium.launch({ executablePath: join(folder, "chromium"), args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"] });
try {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const empty = await context.newPage();
  await empty.goto("about:blank");
  const peer = summary(await intervals(empty));
  await empty.close();

  const status = await post("/api/admin/rules", { name: "frames", allowedRequests: 500, windowSeconds: 1 });
  if (status !== 201) throw new Error(`the rule was not created: ${status}`);
  let decided = 0;
  let waiting = 0;
  const load = setInterval(() => {
    // A node that cannot keep up gets less than wanted; the rate is part of the result.
    for (let i = 0; i < DECISIONS_A_SECOND / 50 && waiting < MAX_WAITING; i++) {
      waiting += 1;
      post("/api/v1/check", { rule: "frames", key: "all" }).then((answer) => {
        waiting -= 1;
        if (answer) decided += 1;
      });
    }
  }, 20);

  const page = await context.newPage();
  const sizes = [];
  page.on("requestfinished", (finished) => sizes.push(finished.sizes()));
  await page.goto(`${node}/#/now`);
  await page.waitForFunction(() => document.getElementById("live").textContent === "Live");
  const firstLoad = (await Promise.all(sizes)).reduce((sum, size) => sum + size.responseHeadersSize + size.responseBodySize, 0);
  const path = join(tmpdir(), `weir-frames-${process.pid}.json`);
  await browser.startTracing(page, { path, categories: ["devtools.timeline"] });
  const before = decided;
  const began = performance.now();
  const subject = summary(await intervals(page));
  const decisionsPerSecond = (decided - before) / ((performance.now() - began) / 1000);
  await browser.stopTracing();
  clearInterval(load);
  const { traceEvents } = JSON.parse(await readFile(path, "utf8"));
  await rm(path);
  const longSteps = traceEvents.filter((event) => event.ph === "X" && event.dur / 1000 > FRAME_MS).length;
  const results = {
    framesPerSecond: subject.perSecond,
    frameP99Millis: subject.p99Millis,
    frameMaxMillis: subject.maxMillis,
    emptyFramesPerSecond: peer.perSecond,
    emptyFrameP99Millis: peer.p99Millis,
    emptyFrameMaxMillis: peer.maxMillis,
    decisionsPerSecond,
    longSteps,
    firstLoadKilobytes: firstLoad / 1000,
  };
  for (const [name, value] of Object.entries(results)) console.log(`${name} ${value}`);
} finally {
  await browser.close();
  agent.destroy();
}
