package dev.weir.server.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Request;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A window on the dashboard of a node. Remembers what went wrong in it. */
final class DashboardPage implements AutoCloseable {
  private static final Path SCREENSHOTS = Path.of("target", "dashboard");

  /** The serious findings of axe, as text. */
  private static final String SERIOUS_FINDINGS =
      """
      async () => {
        const { violations } = await axe.run(document, { resultTypes: ["violations"] });
        return violations
          .filter(({ impact }) => impact === "serious" || impact === "critical")
          .map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(" | ")}`);
      }
      """;

  /** How the window looks. */
  enum Look {
    LIGHT(ColorScheme.LIGHT, 1440, 900),
    DARK(ColorScheme.DARK, 1440, 900),
    PHONE(ColorScheme.LIGHT, 390, 844);

    private final ColorScheme colours;
    private final int width;
    private final int height;

    Look(ColorScheme colours, int width, int height) {
      this.colours = colours;
      this.width = width;
      this.height = height;
    }

    String fileName() {
      return name().toLowerCase(Locale.ROOT);
    }

    Browser.NewContextOptions options() {
      return new Browser.NewContextOptions().setColorScheme(colours).setViewportSize(width, height);
    }
  }

  private final URI node;
  private final BrowserContext context;
  private final Page page;
  private final List<String> errors = new ArrayList<>();
  private final List<Request> requests = new ArrayList<>();

  DashboardPage(URI node, BrowserContext context) {
    this.node = node;
    this.context = context;
    context.setDefaultTimeout(Chromium.TIMEOUT_MS);
    this.page = context.newPage();
    page.onPageError(errors::add);
    page.onConsoleMessage(
        message -> {
          // The browser logs each answer that is not 2xx, which journeys provoke.
          if (message.type().equals("error") && !message.text().startsWith("Failed to load")) {
            errors.add(message.text());
          }
        });
    page.onDialog(dialog -> errors.add("dialog: " + dialog.message()));
    page.onRequest(requests::add);
  }

  /** Goes to a page of the dashboard, such as {@code slots}, and waits for its heading. */
  DashboardPage go(String route, String heading) {
    page.navigate(node + "/#/" + route);
    assertThat(page.getByRole(AriaRole.HEADING, level1(heading))).isVisible();
    return this;
  }

  private static Page.GetByRoleOptions level1(String heading) {
    return new Page.GetByRoleOptions().setName(heading).setLevel(1).setExact(true);
  }

  Page page() {
    return page;
  }

  /** A panel by its title. */
  Locator panel(String title) {
    return page.getByRole(
        AriaRole.REGION, new Page.GetByRoleOptions().setName(title).setExact(true));
  }

  Locator button(String name) {
    return page.getByRole(
        AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
  }

  Locator field(String label) {
    return page.getByLabel(label, new Page.GetByLabelOptions().setExact(true));
  }

  /** A figure at the top of a page. */
  Locator tile(String name) {
    return page.locator("[data-tile=" + name + "]");
  }

  List<String> errors() {
    return errors;
  }

  List<Request> requests() {
    return requests;
  }

  /** The serious findings of axe in the page as it is. */
  List<?> seriousFindings() throws IOException {
    page.evaluate(Files.readString(Chromium.axe()));
    return (List<?>) page.evaluate(SERIOUS_FINDINGS);
  }

  /** Whether the page scrolls sideways. */
  boolean isTooWide() {
    return (boolean) page.evaluate("document.documentElement.scrollWidth > innerWidth");
  }

  /** Keeps a picture of the whole page as an artefact of the build. */
  void screenshot(String name) {
    page.screenshot(
        new Page.ScreenshotOptions().setPath(SCREENSHOTS.resolve(name + ".png")).setFullPage(true));
  }

  @Override
  public void close() {
    context.close();
  }
}
