// Runs before the first paint, so that the page does not flash in the other theme.
(() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  try {
    chosen = localStorage.getItem("weir.theme");
  } catch {
    // Storage may be forbidden; then the choice lasts until the page is closed.
  }

  function apply() {
    root.dataset.theme = chosen ?? (dark.matches ? "dark" : "light");
    root.dispatchEvent(new CustomEvent("themechange"));
  }

  dark.addEventListener("change", apply);
  root.addEventListener("choosetheme", (event) => {
    chosen = event.detail;
    try {
      localStorage.setItem("weir.theme", chosen);
    } catch {
      // See above.
    }
    apply();
  });
  apply();
})();
