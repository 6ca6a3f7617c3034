// Measures how smoothly the page Now is drawn while a thousand decisions a second are made.
//
//   WEIR_TEST_BROWSER=target/browser node server/src/test/js/frames.mjs http://127.0.0.1:8080 [SECONDS]
//
// The node must be open without a token. Prints frames per second and the longest frames, from the trace of Chromium.
import { Agent, request } from "node:http";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [node = "http://127.0.0.1:8080", seconds = "20"] = process.argv.slice(2);
const DECISIONS_A_SECOND = 1000;
const MAX_WAITING = 200;
const { chromium } = await import(pathToFileURL(join(process.env.WEIR_TEST_BROWSER, "package", "index.mjs")));
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

await post("/api/admin/rules", { name: "frames", allowedRequests: 500, windowSeconds: 1 });
let decided = 0;
let waiting = 0;
const load = setInterval(() => {
  // A node that cannot keep up gets less than wanted; the rate is printed.
  for (let i = 0; i < DECISIONS_A_SECOND / 50 && waiting < MAX_WAITING; i++) {
    waiting += 1;
    post("/api/v1/check", { rule: "frames", key: "all" }).then((status) => {
      waiting -= 1;
      if (status) decided += 1;
    });
  }
}, 20);

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"] });
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
await page.goto(`${node}/#/now`);
await page.waitForFunction(() => document.getElementById("live").textContent === "Live");
const path = join(tmpdir(), `weir-frames-${process.pid}.json`);
await browser.startTracing(page, { path, categories: ["devtools.timeline"] });
const before = decided;
const intervals = await page.evaluate((ms) => new Promise((resolve) => {
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
const rate = (decided - before) / Number(seconds);
await browser.stopTracing();
clearInterval(load);
await browser.close();
agent.destroy();

const { traceEvents } = JSON.parse(await readFile(path, "utf8"));
await rm(path);
const tasks = traceEvents.filter((event) => event.ph === "X" && event.dur).map((event) => event.dur / 1000);
intervals.sort((a, b) => a - b);
const at = (share) => intervals[Math.floor((intervals.length - 1) * share)].toFixed(1);
console.log(`decisions per second   ${rate.toFixed(0)}`);
console.log(`frames per second      ${(intervals.length / Number(seconds)).toFixed(1)}`);
console.log(`frame interval in ms   p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)}`);
console.log(`steps over 16 ms       ${tasks.filter((ms) => ms > 16).length}, longest ${Math.max(0, ...tasks).toFixed(1)} ms`);
