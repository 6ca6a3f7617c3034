package dev.weir.server.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import dev.weir.server.http.Http;
import dev.weir.server.http.RunningNode;
import dev.weir.server.slots.node.SlotSetting;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Journeys of an operator through the page of slots, in a real browser on a running node. */
@EnabledIfEnvironmentVariable(named = Chromium.FOLDER, matches = ".+")
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SAME_THREAD)
final class DashboardSlotsIT {
  /** Parsed as markup, it would call this node and open a dialog. */
  private static final String HOSTILE = "<img src=hostile onerror=alert(1)>";

  /** Events that fill the windows of a test for minutes, and 20 a window for less than 15. */
  private static final int BACKLOG = 4_000;

  @RegisterExtension
  static final RunningNode NODE = RunningNode.inMemory(Map.of(SlotSetting.LEAK_GRACE, "PT0.1S"));

  private static Chromium chromium;

  private final Http http = NODE.http();
  private final MadeSlots slots = new MadeSlots(http);
  private DashboardPage dashboard;

  @BeforeAll
  static void launch() {
    chromium = Chromium.launch();
  }

  @AfterAll
  static void quit() {
    chromium.close();
  }

  @BeforeEach
  void open() {
    dashboard = chromium.open(NODE.address(), DashboardPage.Look.LIGHT);
  }

  @AfterEach
  void nothingWentWrong() {
    dashboard.close();
    assertThat(dashboard.errors()).isEmpty();
  }

  @Test
  void stripIsReadByKeyboardAndItsWindowShowsItsEvents() {
    slots.configure("strip", 20);
    slots.assign("strip", "strip-", BACKLOG);
    dashboard.go("slots/strip", "Slots");
    Locator strip = dashboard.page().getByRole(AriaRole.SLIDER).first();
    assertThat(strip).hasAttribute("aria-valuetext", Pattern.compile("\\d+ of 20 taken"));
    strip.focus();
    dashboard.page().keyboard().press("Home");
    String first = strip.getAttribute("aria-valuetext");
    dashboard.page().keyboard().press("ArrowRight");
    assertThat(strip).not().hasAttribute("aria-valuetext", first);
    assertThat(strip).hasAttribute("aria-valuetext", Pattern.compile("20 of 20 taken, 100 %"));
    Locator window = dashboard.panel("Window");
    assertThat(window.getByRole(AriaRole.ROW)).hasCount(21);
    assertThat(window.getByRole(AriaRole.IMG))
        .hasAttribute("aria-label", "20 events spread over the window");
    assertThat(dashboard.tile("backlog").locator("dd").first())
        .hasText(Pattern.compile("^[1-9][\\d,]*$"));
    dashboard.button("7 d").click();
    assertThat(
            dashboard.panel("Windows ahead").getByText(Pattern.compile("a cell is \\d+ windows")))
        .isVisible();
    dashboard
        .panel("Window")
        .getByText("Zoom in", new Locator.GetByTextOptions().setExact(true))
        .click();
    assertThat(dashboard.button("7 d")).hasAttribute("aria-pressed", "false");
  }

  @Test
  void whatArrivesLateLeavesTheWindowThatTheUserChose() {
    slots.configure("late", 20);
    slots.assign("late", "late-", BACKLOG);
    List<Route> held = new ArrayList<>();
    dashboard.page().route("**/api/v1/slots/forecast*", held::add);
    dashboard.go("slots/late", "Slots");
    Locator strip = dashboard.page().getByRole(AriaRole.SLIDER).first();
    assertThat(strip).hasAttribute("aria-valuetext", Pattern.compile("\\d+ of 20 taken"));
    strip.focus();
    dashboard.page().keyboard().press("End");
    String chosen = strip.getAttribute("aria-valuetext");
    dashboard.page().unroute("**/api/v1/slots/forecast*");
    held.forEach(Route::resume);
    assertThat(dashboard.tile("backlog").locator("dd").first())
        .hasText(Pattern.compile("^[1-9][\\d,]*$"));
    // With the figures comes the end of the backlog, which would change the zoom at once.
    assertThat(dashboard.button("1 min")).hasAttribute("aria-pressed", "true");
    assertThat(strip).hasAttribute("aria-valuetext", chosen);
    assertThat(dashboard.panel("Window").getByRole(AriaRole.ROW)).hasCount(21);
  }

  /** A wider strip would show the near windows as one cell, or could not reach the end anyway. */
  @Test
  void stripIsNotWidenedIfThatHidesWindowsOrDoesNotReachTheEnd() {
    for (String name : new String[] {"P6D", "P30D"}) {
      slots.configure(name, 20);
      slots.assign(name, name + "-", BACKLOG);
      Http.Answer far =
          http.post(
              "/api/v1/slots",
              "{\"eventId\":\"far-%s\",\"configName\":\"%s\",\"requestedTime\":\"%s\"}"
                  .formatted(name, name, Instant.now().plus(Duration.parse(name))));
      assertThat(far.status()).as(far.text()).isEqualTo(200);
      List<String> strips = new ArrayList<>();
      dashboard
          .page()
          .onRequestFinished(
              request -> {
                if (request.url().contains("/strip?configName=" + name)) {
                  strips.add(request.url());
                }
              });
      dashboard.go("slots/" + name, "Slots");
      assertThat(dashboard.tile("end").locator("dd").last())
          .hasText(Pattern.compile("^in (5|6|29|30) d"));
      // What the end of the backlog changes is asked for at once, before the strip is renewed.
      dashboard.page().waitForCondition(() -> strips.size() >= 4);
      assertThat(dashboard.button("1 min")).hasAttribute("aria-pressed", "true");
      assertThat(dashboard.panel("Windows ahead").getByText("a cell is a window")).isVisible();
    }
  }

  @Test
  void everyTimeIsInTheZoneThatThePageNamesAndOpeningHoursNameTheirs() {
    Http.Answer made =
        http.post(
            "/admin/rate-limit/config",
            "{\"configName\":\"zoned\",\"maxPerWindow\":10,\"windowSize\":\"PT4S\","
                + "\"pausedUntil\":\"2098-12-31T20:00:00Z\","
                + "\"calendar\":{\"timeZone\":\"America/New_York\",\"hours\":{\"monday\":[\"09:00-17:00\"]}}}");
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    try (DashboardPage there = chromium.open(NODE.address(), "Asia/Kolkata")) {
      for (String page : new String[] {"Now", "Slots", "Configurations"}) {
        there.go(page.toLowerCase(Locale.ROOT), page);
        assertThat(there.page().getByRole(AriaRole.MAIN))
            .containsText(
                Pattern.compile("Times are in Asia/(Kolkata|Calcutta) \\(UTC\\+05:30\\)"));
      }
      there.go("configurations/zoned", "Configurations");
      Locator details = there.panel("zoned");
      assertThat(details.getByText("09:00-17:00 (America/New_York)")).isVisible();
      assertThat(details.getByText("2099-01-01 01:30:00")).isVisible();
      there.go("slots/zoned", "Slots");
      assertThat(there.panel("Windows ahead"))
          .containsText("opening hours are in America/New_York");
      assertThat(there.page().getByText(Pattern.compile("^Paused until 2099-01-01 01:30:00")))
          .isVisible();
      assertThat(there.errors()).isEmpty();
    }
  }

  @Test
  void aConfigurationWithoutEventsOffersNoSampleOnANodeWithData() {
    slots.configure("idle", 10);
    slots.configure("used", 10);
    dashboard.go("slots/idle", "Slots");
    assertThat(dashboard.page().getByText("No event is ahead")).isVisible();
    assertThat(dashboard.page().getByText("Assign a slot")).isVisible();
    assertThat(dashboard.button("Make sample data")).hasCount(0);
  }

  /** What others do is seen without a reload, also where the user looks at another time. */
  @Test
  void slotsFollowsConfigurationsAndWindowsThatOthersChange() {
    slots.configure("followed", 20);
    dashboard.go("slots/followed", "Slots");
    Locator strip = dashboard.page().getByRole(AriaRole.SLIDER).first();
    assertThat(strip).hasAttribute("aria-valuetext", Pattern.compile("0 of 20 taken"));
    // Minutes ahead, so that the window has not passed when events get their slots.
    for (int i = 0; i < 6; i++) {
      dashboard.button("Later").click();
    }
    Locator window = dashboard.panel("Window");
    strip.focus();
    dashboard.page().keyboard().press("End");
    assertThat(window.getByText("No event lies in this window.")).isVisible();
    slots.assign("followed", "followed-", BACKLOG);
    assertThat(window.getByRole(AriaRole.ROW)).hasCount(21);
    slots.configure("followed", 30);
    assertThat(dashboard.tile("limit").locator("dd").first()).hasText("30");
    assertThat(dashboard.field("Configuration").locator("option:checked"))
        .hasText("followed · 30 per 4 s");
    assertThat(dashboard.panel("What if?").getByLabel("Max per window", exactly())).hasValue("30");
  }

  @Test
  void aLateAnswerDoesNotReplaceANewerOne() {
    slots.configure("older", 11);
    slots.configure("newer", 22);
    slots.assign("older", "older-", 1);
    slots.assign("newer", "newer-", 1);
    Pattern ofTheOlder = Pattern.compile(".*/api/v1/slots.*older.*");
    List<Route> held = new ArrayList<>();
    List<String> answered = new ArrayList<>();
    dashboard.page().route(ofTheOlder, held::add);
    dashboard.page().onRequestFinished(request -> answered.add(request.url()));
    dashboard.go("slots/older", "Slots");
    Locator finder = dashboard.panel("Find an event");
    // The forecasts of its figures and its leaked slots are asked for.
    dashboard.page().waitForCondition(() -> held.size() >= 3);
    dashboard.field("Configuration").selectOption("newer");
    assertThat(dashboard.tile("limit").locator("dd").first()).hasText("22");
    for (String event : new String[] {"older-0", "newer-0"}) {
      finder.getByLabel("Event id").fill(event);
      finder.getByLabel("Event id").press("Enter");
    }
    assertThat(finder.getByText("newer, version 1")).isVisible();
    dashboard.page().unroute(ofTheOlder);
    held.forEach(Route::resume);
    dashboard
        .page()
        .waitForCondition(
            () -> answered.containsAll(held.stream().map(route -> route.request().url()).toList()));
    assertThat(finder.getByText("newer, version 1")).isVisible();
    assertThat(dashboard.tile("limit").locator("dd").first()).hasText("22");
  }

  @Test
  void anIdThatWouldTurnTheTextAroundIsShownAsItIs() {
    // With fewer the end is more than 15 minutes ahead, and the page shows several windows as one.
    slots.configure("turned", 20);
    slots.assign("turned", "pay-\u202e3-yap", BACKLOG);
    dashboard.go("slots/turned", "Slots");
    assertThat(dashboard.panel("Window").getByText("pay-\\u202e3-yap").first()).isVisible();
  }

  @Test
  void anEventIsFoundAndCancelled() {
    slots.configure("cancelled", 10);
    slots.assign("cancelled", HOSTILE, 1);
    dashboard.go("slots/cancelled", "Slots");
    Locator finder = dashboard.panel("Find an event");
    finder.getByLabel("Event id").fill(HOSTILE + "0");
    finder.getByLabel("Event id").press("Enter");
    assertThat(finder.getByText("assigned", new Locator.GetByTextOptions().setExact(true)))
        .isVisible();
    finder
        .getByRole(
            AriaRole.BUTTON, new Locator.GetByRoleOptions().setName(Pattern.compile("^Cancel")))
        .click();
    dashboard.button("Cancel the slot").click();
    assertThat(finder.getByText("cancelled", new Locator.GetByTextOptions().setExact(true)))
        .isVisible();
    assertThat(http.get("/api/v1/slots?eventId=" + Http.encoded(HOSTILE + "0")).text())
        .contains("\"state\":\"cancelled\"");
    assertThat(dashboard.requests()).noneMatch(request -> request.url().endsWith("/hostile"));
  }

  @Test
  void leakedSlotsAreReclaimed() {
    slots.configure("leaky", 10);
    http.post(
        "/api/v1/slots",
        "{\"eventId\":\"leak-1\",\"configName\":\"leaky\",\"requestedTime\":\"2026-01-01T00:00:00Z\"}");
    dashboard.go("slots/leaky", "Slots");
    Locator leaked = dashboard.panel("Leaked slots");
    assertThat(leaked.getByText("leak-1")).isVisible();
    leaked
        .getByRole(
            AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Reclaim").setExact(true))
        .click();
    dashboard
        .page()
        .getByRole(AriaRole.DIALOG)
        .getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Reclaim"))
        .click();
    assertThat(leaked.getByText(Pattern.compile("slots were reclaimed"))).isVisible();
  }

  @Test
  void whatIfForecastsAndSavesNothing() {
    slots.configure("what-if", 10);
    slots.assign("what-if", "what-if-", BACKLOG);
    dashboard.go("slots/what-if", "Slots");
    Locator panel = dashboard.panel("What if?");
    assertThat(panel.getByText(Pattern.compile("The backlog would end at"))).isVisible();
    panel.getByLabel("Max per window", exactly()).fill("40");
    assertThat(panel.getByText(Pattern.compile("The backlog would end at .* earlier"))).isVisible();
    panel.getByLabel("Max per window", exactly()).fill("0");
    assertThat(panel.getByText(Pattern.compile("must be from 1 to"))).isVisible();
    assertThat(http.get("/admin/rate-limit/config?name=what-if").intAt("version")).isEqualTo(1);
  }

  private static Locator.GetByLabelOptions exactly() {
    return new Locator.GetByLabelOptions().setExact(true);
  }
}
