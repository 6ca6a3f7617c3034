package dev.weir.server.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Request;
import com.microsoft.playwright.options.AriaRole;
import dev.weir.node.settings.ServerSetting;
import dev.weir.server.faults.Relay;
import dev.weir.server.http.Http;
import dev.weir.server.http.RunningNode;
import java.io.IOException;
import java.net.URI;
import java.util.List;
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

/** Journeys of an operator through the dashboard, in a real browser on a running node. */
@EnabledIfEnvironmentVariable(named = Chromium.FOLDER, matches = ".+")
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SAME_THREAD)
final class DashboardIT {
  private static final String TOKEN = "token-of-the-administrator";

  /** Parsed as markup, it would call this node and open a dialog. */
  private static final String HOSTILE = "<img src=hostile onerror=alert(1)>";

  private static final int FIRST_LOAD_BYTES = 300_000;

  @RegisterExtension static final RunningNode NODE = RunningNode.inMemory(Map.of());

  @RegisterExtension
  static final RunningNode LOCKED = RunningNode.inMemory(Map.of(ServerSetting.ADMIN_TOKEN, TOKEN));

  @RegisterExtension static final RunningNode EMPTY = RunningNode.inMemory(Map.of());

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
  void aConfigurationIsEditedAndAConflictOverwritesNothing() {
    slots.configure("edited", 100);
    dashboard.go("configurations/edited/edit", "Configurations");
    dashboard.field("Max per window").fill("0");
    assertThat(dashboard.page().getByText(Pattern.compile("must be from 1 to"))).isVisible();
    dashboard.field("Max per window").fill("300");
    assertThat(dashboard.page().getByText(Pattern.compile("^Valid\\. At most 75"))).isVisible();
    slots.configure("edited", 200);
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
    slots.configure("taken", 100);
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
