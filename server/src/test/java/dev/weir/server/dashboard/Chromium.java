package dev.weir.server.dashboard;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import dev.weir.server.faults.Programs;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A real Chromium. {@code ./weir test} fetches the driver and axe from npm, and names their folder,
 * with a link to the browser, in {@link #FOLDER}.
 */
final class Chromium implements AutoCloseable {
  /** Name of the variable that has the folder. */
  static final String FOLDER = "WEIR_TEST_BROWSER";

  /** Max time for the page to show what is expected. Only what never comes takes so long. */
  static final double TIMEOUT_MS = 180_000;

  private final Playwright playwright;
  private final Browser browser;

  private Chromium(Playwright playwright, Browser browser) {
    this.playwright = playwright;
    this.browser = browser;
  }

  static Chromium launch() {
    System.setProperty("playwright.cli.dir", folder().toString());
    PlaywrightAssertions.setDefaultAssertionTimeout(TIMEOUT_MS);
    Playwright playwright =
        Playwright.create(
            new Playwright.CreateOptions()
                .setEnv(
                    Map.of(
                        "PLAYWRIGHT_NODEJS_PATH",
                        node().toString(),
                        "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD",
                        "1")));
    Browser browser =
        playwright
            .chromium()
            .launch(
                new BrowserType.LaunchOptions()
                    .setExecutablePath(folder().resolve("chromium"))
                    .setTimeout(TIMEOUT_MS)
                    .setArgs(
                        List.of(
                            "--no-sandbox",
                            "--disable-gpu",
                            "--disable-quic",
                            "--disable-background-networking",
                            "--disable-component-update",
                            "--disable-sync",
                            "--no-first-run")));
    return new Chromium(playwright, browser);
  }

  /** Opens a window on a node. */
  DashboardPage open(URI node, DashboardPage.Look look) {
    return new DashboardPage(node, browser.newContext(look.options()));
  }

  /** Opens a window of a user in a time zone. */
  DashboardPage open(URI node, String timeZone) {
    return new DashboardPage(
        node, browser.newContext(DashboardPage.Look.LIGHT.options().setTimezoneId(timeZone)));
  }

  static Path axe() {
    return folder().resolve("node_modules/axe-core/axe.min.js");
  }

  private static Path folder() {
    return Path.of(System.getenv(FOLDER));
  }

  private static Path node() {
    return Programs.find("node")
        .orElseThrow(() -> new IllegalStateException("node is not on the PATH"));
  }

  @Override
  public void close() {
    browser.close();
    playwright.close();
  }
}
