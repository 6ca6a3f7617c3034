// A page of the dashboard that asks again and again.

import { openPage, settled } from "./page.mjs";

/** A page whose next round can be awaited, until the test ends. */
export async function open(context, show, answer, rest = []) {
  context.mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
  const body = openPage(answer);
  const ended = new AbortController();
  context.after(() => ended.abort());
  show(body, { parts: {}, rest, signal: ended.signal, reload: () => {} });
  await settled();
  return {
    body,
    button: (text) => body.all((one) => one.nodeName === "BUTTON" && one.textContent === text)[0],
    async next() {
      context.mock.timers.tick(5000);
      await settled();
    },
  };
}
