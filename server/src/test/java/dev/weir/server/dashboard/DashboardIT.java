package dev.weir.server.dashboard;

import dev.weir.server.settings.ServerSetting;
import dev.weir.server.slots.node.SlotSetting;
import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Request;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import dev.weir.server.faults.Relay;
import dev.weir.server.http.Http;
import dev.weir.server.http.RunningNode;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Journeys of an operator through the dashboard, in a real browser on a running node. */
@EnabledIfEnvironmentVariable(named = Chromium.FOLDER, matches = ".+")
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SAME_THREAD)
final class DashboardIT {
  private static final String TOKEN = "token-of-the-administrator";

  /** Parsed as markup, it would call this node and open a dialog. */
  private static final String HOSTILE = "<img src=hostile onerror=alert(1)>";

  private static final int FIRST_LOAD_BYTES = 300_000;

  /** Events that fill the windows of a test for minutes, and 20 a window for less than 15. */
  private static final int BACKLOG = 4_000;

  @RegisterExtension
  static final RunningNode NODE = RunningNode.inMemory(Map.of(SlotSetting.LEAK_GRACE, "PT0.1S"));

  @RegisterExtension
  static final RunningNode LOCKED = RunningNode.inMemory(Map.of(ServerSetting.ADMIN_TOKEN, TOKEN));

  @RegisterExtension static final RunningNode EMPTY = RunningNode.inMemory(Map.of());

  private static Chromium chromium;

  private final Http http = NODE.http();
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

  private void configure(String name, int max) {
    assertThat(
            http.post(
                    "/admin/rate-limit/config",
                    "{\"configName\":\"%s\",\"maxPerWindow\":%d,\"windowSize\":\"PT4S\"}"
                        .formatted(name, max))
                .status())
        .isEqualTo(201);
  }

  private void assign(String configName, String prefix, int events) {
    String all =
        IntStream.range(0, events)
            .mapToObj(
                i ->
                    "{\"eventId\":\"%s%d\",\"configName\":\"%s\"}".formatted(prefix, i, configName))
            .collect(Collectors.joining(",", "[", "]"));
    assertThat(http.post("/api/v1/slots/batch", all).status()).isEqualTo(200);
  }

  private void rule(String name, String fields) {
    Http.Answer made =
        http.post("/api/admin/rules", "{\"name\":\"%s\",%s}".formatted(name, fields));
    assertThat(made.status()).isEqualTo(201);
  }

  private void check(String rule, String key, int times) {
    for (int i = 0; i < times; i++) {
      http.post("/api/v1/check", "{\"rule\":\"%s\",\"key\":\"%s\"}".formatted(rule, key));
    }
  }

  @Test
  void nowShowsWhatHappensWithinSeconds() {
    rule("now", "\"allowedRequests\":30,\"windowSeconds\":600");
    dashboard.go("now", "Now");
    assertThat(dashboard.page().locator("#live")).hasText("Live");
    check("now", "alice", 40);
    assertThat(dashboard.tile("decisions").locator("dd").last())
        .hasText(Pattern.compile("^[1-9][\\d,]* in 15 min$"));
    assertThat(dashboard.tile("refused").locator("dd").last())
        .hasText(Pattern.compile("^[1-9][\\d,]* in 15 min$"));
    assertThat(dashboard.tile("store").locator("dd").first()).hasText("Ready");
    assertThat(dashboard.panel("Decisions per second").getByRole(AriaRole.IMG))
        .hasAttribute("aria-label", Pattern.compile("allowed .*, at most [1-9]"));
    dashboard.button("Pause").click();
    assertThat(dashboard.button("Continue")).hasAttribute("aria-pressed", "true");
  }

  @Test
  void stripIsReadByKeyboardAndItsWindowShowsItsEvents() {
    configure("strip", 20);
    assign("strip", "strip-", BACKLOG);
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
    configure("late", 20);
    assign("late", "late-", BACKLOG);
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
      configure(name, 20);
      assign(name, name + "-", BACKLOG);
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
    configure("idle", 10);
    configure("used", 10);
    dashboard.go("slots/idle", "Slots");
    assertThat(dashboard.page().getByText("No event is ahead")).isVisible();
    assertThat(dashboard.page().getByText("Assign a slot")).isVisible();
    assertThat(dashboard.button("Make sample data")).hasCount(0);
  }

  /** What others do is seen without a reload, also where the user looks at another time. */
  @Test
  void slotsFollowsConfigurationsAndWindowsThatOthersChange() {
    configure("followed", 20);
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
    assign("followed", "followed-", BACKLOG);
    assertThat(window.getByRole(AriaRole.ROW)).hasCount(21);
    configure("followed", 30);
    assertThat(dashboard.tile("limit").locator("dd").first()).hasText("30");
    assertThat(dashboard.field("Configuration").locator("option:checked"))
        .hasText("followed · 30 per 4 s");
    assertThat(dashboard.panel("What if?").getByLabel("Max per window", exactly())).hasValue("30");
  }

  @Test
  void aLateAnswerDoesNotReplaceANewerOne() {
    configure("older", 11);
    configure("newer", 22);
    assign("older", "older-", 1);
    assign("newer", "newer-", 1);
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
    configure("turned", 20);
    assign("turned", "pay-\u202e3-yap", BACKLOG);
    dashboard.go("slots/turned", "Slots");
    assertThat(dashboard.panel("Window").getByText("pay-\\u202e3-yap").first()).isVisible();
  }

  @Test
  void anEventIsFoundAndCancelled() {
    configure("cancelled", 10);
    assign("cancelled", HOSTILE, 1);
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
    configure("leaky", 10);
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
    configure("what-if", 10);
    assign("what-if", "what-if-", BACKLOG);
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

  @Test
  void aConfigurationIsEditedAndAConflictOverwritesNothing() {
    configure("edited", 100);
    dashboard.go("configurations/edited/edit", "Configurations");
    dashboard.field("Max per window").fill("0");
    assertThat(dashboard.page().getByText(Pattern.compile("must be from 1 to"))).isVisible();
    dashboard.field("Max per window").fill("300");
    assertThat(dashboard.page().getByText(Pattern.compile("^Valid\\. At most 75"))).isVisible();
    configure("edited", 200);
    dashboard.button("Save as the next version").click();
    Locator conflict = dashboard.panel("Version 2 came into force while you edited");
    assertThat(
            conflict.getByRole(
                AriaRole.ROW, new Locator.GetByRoleOptions().setName("Max per window")))
        .containsText("200");
    assertThat(http.get("/admin/rate-limit/config?name=edited").intAt("maxPerWindow"))
        .isEqualTo(200);
    dashboard.button("Keep mine, on top of theirs").click();
    assertThat(
            dashboard
                .panel("Edit edited")
                .getByText("On version 2. Slots that are assigned never move."))
        .isVisible();
    dashboard.button("Save as the next version").click();
    assertThat(dashboard.panel("History").getByRole(AriaRole.LISTITEM)).hasCount(3);
    assertThat(dashboard.panel("Differences").locator("del").first()).hasText("200");
    assertThat(dashboard.panel("Differences").locator("ins").first()).hasText("300");
  }

  @Test
  void aConfigurationIsCreatedWithOpeningHours() {
    dashboard.go("configurations/+new", "Configurations");
    dashboard.field("Name").fill("office");
    dashboard.field("Max per window").fill("5");
    dashboard.field("Window").fill("1 min");
    dashboard.field("Only within opening hours").check();
    dashboard.field("Time zone").fill("Europe/Berlin");
    dashboard.field("Friday").fill("09:00-12:00, 13:00-15:00");
    dashboard.button("Create").click();
    assertThat(dashboard.panel("office").getByText("09:00-12:00, 13:00-15:00")).isVisible();
    assertThat(http.get("/admin/rate-limit/config?name=office").text())
        .contains("\"windowSize\":\"PT1M\"", "Europe/Berlin");
  }

  @Test
  void aNameThatIsTakenCanBeChosenAnew() {
    configure("taken", 100);
    dashboard.go("configurations/+new", "Configurations");
    dashboard.field("Name").fill("taken");
    dashboard.button("Create").click();
    assertThat(dashboard.panel("taken exists already")).isVisible();
    dashboard.button("Choose another name").click();
    assertThat(dashboard.panel("taken exists already")).hasCount(0);
    assertThat(dashboard.field("Name")).isFocused();
    assertThat(dashboard.field("Name")).isEditable();
    dashboard.field("Name").fill("not-taken");
    dashboard.button("Create").click();
    assertThat(dashboard.panel("not-taken")).isVisible();
    assertThat(http.get("/admin/rate-limit/config?name=taken").intAt("version")).isEqualTo(1);
  }

  @Test
  void aRuleIsCreatedPutInShadowGivenAQueueAndRemoved() {
    dashboard.go("rules/new", "Rules");
    dashboard.field("Name").fill(HOSTILE);
    dashboard.field("Path").fill("/journey/**");
    dashboard.field("Requests").fill("0");
    assertThat(dashboard.page().getByText(Pattern.compile("must be a whole number from 1 to")))
        .isVisible();
    dashboard.field("Requests").fill("2");
    dashboard.button("Create").click();
    dashboard.button("Put in shadow").click();
    assertThat(
            dashboard
                .panel(HOSTILE)
                .getByText("shadow", new Locator.GetByTextOptions().setExact(true)))
        .isVisible();
    dashboard.button("Edit").click();
    dashboard.field("Let requests wait in a queue").check();
    dashboard.field("Max waiting").fill("3");
    dashboard.field("Delay for each, ms").fill("250");
    dashboard.button("Save as the next version").click();
    assertThat(dashboard.panel(HOSTILE).getByText("3, 250 ms each")).isVisible();
    assertThat(dashboard.panel("History").getByRole(AriaRole.LISTITEM)).hasCount(3);
    dashboard.button("Remove").click();
    dashboard
        .page()
        .getByRole(AriaRole.DIALOG)
        .getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Remove"))
        .click();
    assertThat(dashboard.panel(HOSTILE)).hasCount(0);
    assertThat(http.get("/api/admin/rules").text()).doesNotContain("/journey/");
  }

  @Test
  void rulesAreSearchedAndAPastedRequestIsExplained() {
    rule(
        "explained",
        "\"pathPattern\":\"/explained/**\",\"keyBy\":[\"header:X-Api-Key\"],\"allowedRequests\":7,\"windowSeconds\":60");
    rule("elsewhere", "\"pathPattern\":\"/elsewhere\",\"allowedRequests\":7,\"windowSeconds\":60");
    dashboard.go("rules", "Rules");
    Locator rules = dashboard.panel("Rules");
    dashboard.field("Search rules").fill("explained");
    assertThat(rules.getByRole(AriaRole.ROW)).hasCount(2);
    rule("explained-too", "\"allowedRequests\":7,\"windowSeconds\":60");
    assertThat(rules.getByRole(AriaRole.ROW)).hasCount(3);
    Locator explain = dashboard.panel("Explain a request");
    explain
        .getByLabel("A curl line, or the head of a request")
        .fill("curl -X POST 'https://example.org/explained/7' -H 'X-Api-Key: secret-key'");
    explain.getByRole(AriaRole.BUTTON).click();
    assertThat(explain.getByText("secret-key", new Locator.GetByTextOptions().setExact(true)))
        .isVisible();
    assertThat(explain.getByText(Pattern.compile("allows it, [67] left"))).isVisible();
  }

  @Test
  void refusalsAreCountedByRuleAndByKey() {
    rule("refusing", "\"allowedRequests\":1,\"windowSeconds\":600");
    check("refusing", "greedy", 12);
    dashboard.go("rules", "Rules");
    Locator top = dashboard.panel("Top refusals");
    assertThat(
            top.getByRole(
                    AriaRole.ROW,
                    new Locator.GetByRoleOptions().setName("refusing").setExact(false))
                .first())
        .containsText("11");
    assertThat(top.getByText("greedy")).isVisible();
  }

  @Test
  void anEndpointIsTriedWithItsCurlLine() {
    dashboard.go("try/assign", "Try it");
    dashboard.field("Body").fill("{\"eventId\":\"tried-1\"}");
    assertThat(
            dashboard
                .page()
                .getByRole(AriaRole.REGION, new Page.GetByRoleOptions().setName("curl line")))
        .hasText(
            "curl %s/api/v1/slots -H 'Content-Type: application/json' --data-raw '{\"eventId\":\"tried-1\"}'"
                .formatted(NODE.address()));
    dashboard.button("Send").click();
    assertThat(dashboard.page().getByText("200 OK")).isVisible();
    assertThat(http.get("/api/v1/slots/tried-1").status()).isEqualTo(200);
  }

  @Test
  void tokenIsKeptInMemoryOnly() {
    try (DashboardPage locked = chromium.open(LOCKED.address(), DashboardPage.Look.LIGHT)) {
      locked.page().navigate(LOCKED.address() + "/");
      locked.field("Token").fill("not-the-token-of-16");
      locked.button("Use token").click();
      assertThat(locked.page().getByText(Pattern.compile("^The token is not"))).isVisible();
      locked.button("Forget token").click();
      locked.field("Token").fill(TOKEN);
      locked.button("Use token").click();
      assertThat(locked.page().locator("#live")).hasText("Live");
      Object stored =
          locked
              .page()
              .evaluate(
                  "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])");
      assertThat((String) stored).doesNotContain(TOKEN);
      locked.page().reload();
      assertThat(locked.field("Token")).isVisible();
      assertThat(locked.errors()).isEmpty();
    }
  }

  @Test
  void partsThatTheNodeDoesNotHaveAreNotOffered() {
    dashboard.go("now", "Now");
    assertThat(dashboard.page().getByRole(AriaRole.NAVIGATION).getByRole(AriaRole.LINK))
        .hasText(new String[] {"Now", "Slots", "Configurations", "Rules", "Try it"});
    dashboard.page().navigate(NODE.address() + "/#/payments");
    assertThat(dashboard.page().getByText("There is no such page")).isVisible();
  }

  @Test
  void aLostConnectionIsSaidAndThePageGoesOnWhenItIsBack() throws IOException {
    try (Relay way = new Relay(NODE.address().getPort());
        DashboardPage far =
            chromium.open(URI.create("http://127.0.0.1:" + way.port()), DashboardPage.Look.LIGHT)) {
      Locator banner = far.page().locator("#watch");
      far.go("now", "Now");
      assertThat(far.page().locator("#live")).hasText("Live");
      way.cut();
      assertThat(banner).containsText("The node does not answer.");
      assertThat(far.page().locator("#live")).not().hasText("Live");
      // Nothing of this page was loaded before.
      far.page().navigate("http://127.0.0.1:%d/#/rules".formatted(way.port()));
      assertThat(far.page().getByText("This page goes on when the node is back.")).isVisible();
      way.mend();
      assertThat(far.panel("Explain a request")).isVisible();
      assertThat(banner).isHidden();
      way.cut();
      assertThat(banner).isVisible();
      way.mend();
      assertThat(banner).isHidden();
      far.go("now", "Now");
      assertThat(far.page().locator("#live")).hasText("Live");
      assertThat(far.errors()).isEmpty();
    }
  }

  @Test
  void emptyNodeSaysWhatToDoAndMakesSampleData() {
    try (DashboardPage empty = chromium.open(EMPTY.address(), DashboardPage.Look.LIGHT)) {
      empty.go("now", "Now");
      assertThat(empty.page().getByText("Nothing has happened yet")).isVisible();
      empty.go("rules", "Rules");
      assertThat(empty.page().getByText("There is no rule yet")).isVisible();
      empty.button("Make sample data").first().click();
      assertThat(empty.panel("Rules").getByRole(AriaRole.ROW).nth(1)).isVisible();
      empty.go("now", "Now");
      assertThat(empty.tile("decisions").locator("dd").last())
          .hasText(Pattern.compile("^[1-9][\\d,]* in 15 min$"));
      assertThat(empty.page().getByText("Nothing has happened yet")).isHidden();
      assertThat(empty.errors()).isEmpty();
    }
  }

  @Test
  void themeFollowsTheSystemUntilOneIsChosen() {
    try (DashboardPage dark = chromium.open(NODE.address(), DashboardPage.Look.DARK)) {
      dark.go("now", "Now");
      Locator root = dark.page().locator("html");
      assertThat(root).hasAttribute("data-theme", "dark");
      dark.button("Light theme").click();
      assertThat(root).hasAttribute("data-theme", "light");
      dark.page().reload();
      assertThat(root).hasAttribute("data-theme", "light");
    }
  }

  @Test
  void firstLoadIsSmallAndAsksNoOtherHost() {
    dashboard.go("now", "Now");
    assertThat(dashboard.page().locator("#live")).hasText("Live");
    long bytes = 0;
    // A copy: the page goes on asking.
    for (Request request : List.copyOf(dashboard.requests())) {
      URI address = URI.create(request.url());
      assertThat(address.getAuthority()).isEqualTo(NODE.address().getAuthority());
      if (!address.getPath().startsWith("/api/") && !address.getPath().startsWith("/admin/")) {
        bytes += request.response().body().length;
      }
    }
    assertThat(bytes).isBetween(50_000L, (long) FIRST_LOAD_BYTES);
  }
}
