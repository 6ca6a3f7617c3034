// What is refused most: by rule and by key.

import { el, update } from "../../ui/dom.js";
import { count, printableId } from "../../data/format.js";
import { mostRefused } from "../../data/rule-text.js";
import { bar, panel, table } from "../../ui/widgets.js";

const SHOWN_RULES = 10;

export function refusalPanels() {
  const body = el("div", { class: "stack" });
  return {
    element: panel("Top refusals", { hint: "The last 15 minutes on this node" }, body),
    /** What has the focus or was scrolled stays so. */
    update(refusals) {
      const rules = mostRefused(refusals).slice(0, SHOWN_RULES);
      const { keys, shadowKeys, sampled } = refusals;
      if (rules.length === 0 && keys.length === 0 && shadowKeys.length === 0) {
        update(body, el("p", { class: "muted" }, "Nothing was refused."));
        return;
      }
      update(body,
        rules.length > 0 && el("div", { class: "panel-flush" }, table("Refusals by rule", [
          { title: "By rule", header: true, class: "break", cell: (row) => row.rule ?? el("i", {}, "other rules together") },
          { title: "", spoken: "Share", cell: (row) => bar(row.refused / rules[0].refused, "danger") },
          { title: "Refused", number: true, cell: (row) => count(row.refused) },
        ], rules)),
        keys.length > 0 && keyTable("By key", keys, sampled),
        shadowKeys.length > 0 && keyTable("By key, in shadow", shadowKeys, sampled, "Refused or delayed"));
    },
  };
}

function keyTable(title, keys, sampled, what = "Refused") {
  const about = (row) => `${sampled || row.error > 0 ? "about " : ""}${count(row.refused)}`;
  return el("div", { class: "panel-flush scroll", tabindex: "0", role: "group", "aria-label": title }, table(title, [
    { title, header: true, class: "break", cell: (row) => el("span", { class: "mono" }, printableId(row.key)) },
    { title: "Rule", class: "break", cell: (row) => row.rule },
    { title: what, number: true, cell: about },
  ], keys));
}
