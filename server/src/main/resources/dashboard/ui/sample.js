// The button that makes sample data.

import { post } from "../data/http.js";
import { button, explained, toast } from "./widgets.js";

/** A button that makes sample data and then calls `done`, or nothing on a node that does not allow it. */
export function sampleButton(parts, done) {
  if (!parts.embedded) return null;
  const control = button("Make sample data", async () => {
    control.disabled = true;
    try {
      const made = await post("/api/v1/dashboard/sample", { seconds: 60 });
      toast(`Made ${made.configs.length} configurations, ${made.rules.length} rules and ${made.events} events. Traffic runs for ${made.seconds} s.`);
      done();
    } catch (problem) {
      toast(explained(problem), "danger");
    } finally {
      control.disabled = false;
    }
  }, { kind: "primary" });
  return control;
}
