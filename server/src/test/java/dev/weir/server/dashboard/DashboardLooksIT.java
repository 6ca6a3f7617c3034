package dev.weir.server.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.options.AriaRole;
import dev.weir.server.http.RunningNode;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every page in the light and the dark theme and on a phone: without a serious finding of axe,
 * without scrolling sideways, and with a picture of it kept in {@code target/dashboard}.
 */
@EnabledIfEnvironmentVariable(named = Chromium.FOLDER, matches = ".+")
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SAME_THREAD)
final class DashboardLooksIT {
  /** Headings of pages by their routes. */
  private static final Map<String, String> PAGES = new LinkedHashMap<>();

  static {
    PAGES.put("now", "Now");
    PAGES.put("slots/sample-bank", "Slots");
    PAGES.put("configurations/sample-letters", "Configurations");
    PAGES.put("configurations/sample-letters/edit", "Configurations");
    PAGES.put("rules/1", "Rules");
    PAGES.put("rules/1/edit", "Rules");
    PAGES.put("try/assign", "Try it");
  }

  @RegisterExtension static final RunningNode NODE = RunningNode.inMemory(Map.of());

  private static Chromium chromium;

  @BeforeAll
  static void makeData() {
    assertThat(NODE.http().post("/api/v1/dashboard/sample", "{\"seconds\":300}").status())
        .isEqualTo(202);
    // The backlog of the sample may end before the last look at it.
    NODE.http()
        .post(
            "/api/v1/slots",
            "{\"eventId\":\"ahead\",\"configName\":\"sample-bank\",\"requestedTime\":\"%s\"}"
                .formatted(Instant.now().plus(Duration.ofHours(1))))
        .ok();
    chromium = Chromium.launch();
  }

  @AfterAll
  static void quit() {
    chromium.close();
  }

  @ParameterizedTest
  @EnumSource
  void everyPageIsAccessibleAndFits(DashboardPage.Look look) throws IOException {
    try (DashboardPage dashboard = chromium.open(NODE.address(), look)) {
      for (Map.Entry<String, String> entry : PAGES.entrySet()) {
        dashboard.go(entry.getKey(), entry.getValue());
        settle(dashboard, entry.getValue());
        String name = entry.getKey().replace('/', '-') + "-" + look.fileName();
        dashboard.screenshot(name);
        assertThat(dashboard.seriousFindings()).as(name).isEmpty();
        assertThat(dashboard.isTooWide()).as(name + " scrolls sideways").isFalse();
      }
      assertThat(dashboard.errors()).isEmpty();
    }
  }

  /** Waits until a page shows its data. */
  private static void settle(DashboardPage dashboard, String heading) {
    switch (heading) {
      case "Now" ->
          assertThat(dashboard.tile("slots").locator("dd").last())
              .hasText(Pattern.compile("^[1-9][\\d,]* in 15 min$"));
      case "Slots" ->
          assertThat(dashboard.tile("end").locator("dd").first()).hasText(Pattern.compile("\\d"));
      case "Try it" -> assertThat(dashboard.button("Send")).isVisible();
      default -> assertThat(dashboard.page().getByRole(AriaRole.ROW).nth(1)).isVisible();
    }
  }
}
