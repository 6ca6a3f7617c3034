// A press counts for the control on which it began.

const CONTROLS = "button, a[href], label, summary, input";

/** In pixels. A pointer that moves further before it is released takes the press back. */
const STILL = 5;

/**
 * A browser clicks what is under the pointer both when it is pressed and when it is released. What arrives in between,
 * such as the result of a check, may move a control away or draw it anew, and the click would be lost, or go to another
 * one.
 */
export function keepPresses() {
  let begun = null;

  addEventListener("pointerdown", (event) => {
    const control = event.target.closest?.(CONTROLS);
    const counts = control && event.isPrimary && event.button === 0;
    begun = counts ? { control, name: nameOf(control), x: event.clientX, y: event.clientY } : null;
  }, true);

  // No click follows if the control is gone.
  addEventListener("pointerup", (event) => {
    if (begun === null || begun.control.isConnected || event.pointerType !== "mouse") return;
    const { name, ...press } = begun;
    begun = null;
    const drawnAnew = event.target.closest?.(CONTROLS);
    if (isStill(press, event) && drawnAnew && nameOf(drawnAnew) === name) drawnAnew.click();
  }, true);

  addEventListener("click", (event) => {
    const press = begun;
    begun = null;
    // A click without a pointer has no detail.
    if (press === null || event.detail === 0 || press.control.contains(event.target)) return;
    if (!press.control.isConnected || !isStill(press, event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    press.control.click();
  }, true);
}

function isStill({ x, y }, event) {
  return Math.hypot(event.clientX - x, event.clientY - y) <= STILL;
}

/** What the control is and does, as far as its user can tell. */
function nameOf(control) {
  return JSON.stringify([control.tagName, control.getAttribute("aria-label") ?? control.textContent, control.getAttribute("href")]);
}
