// Lets Node find files as the browser does: below /ui/ are those of the dashboard, which pages of other modules import.

import { register } from "node:module";
import { isMainThread } from "node:worker_threads";

const FILES = new URL("../../main/resources/dashboard/", import.meta.url);

if (isMainThread) register(import.meta.url);

export function resolve(specifier, context, next) {
  return next(specifier.startsWith("/ui/") ? new URL(specifier.slice("/ui/".length), FILES).href : specifier, context);
}
