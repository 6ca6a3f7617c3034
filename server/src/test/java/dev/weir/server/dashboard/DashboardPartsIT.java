package dev.weir.server.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Settings;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.stores.postgresql.EmbeddedDatabase;
import dev.weir.node.wiring.Node;
import dev.weir.notifications.server.node.NotificationSetting;
import dev.weir.payments.server.node.PaymentSetting;
import dev.weir.server.faults.PreparedDatabase;
import dev.weir.server.faults.Relay;
import dev.weir.server.http.Http;
import dev.weir.server.payments.Feeds;
import dev.weir.server.wiring.TestNode;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;

/**
 * The pages of a node with a PostgreSQL, Kafka and Temporal: messages, payments, and what is said
 * while the database is gone.
 */
@EnabledIfEnvironmentVariable(named = Chromium.FOLDER, matches = ".+")
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SAME_THREAD)
final class DashboardPartsIT {
  /** The broker starts with the first message. */
  private static final int BROKER_START_MS = 180_000;

  @TempDir private static Path folder;
  private static EmbeddedDatabase database;
  private static Node node;
  private static Chromium chromium;

  private DashboardPage dashboard;

  @BeforeAll
  static void start() throws IOException {
    database = PreparedDatabase.start(folder.resolve("database"));
    // Only a database that is gone takes so long, on however busy a machine.
    node = Node.start(settings("node", databaseAddress().getPort(), "PT1M"));
    chromium = Chromium.launch();
  }

  private static URI databaseAddress() {
    return URI.create(database.jdbcUrl().substring("jdbc:".length()));
  }

  private static Settings settings(String name, int databasePort, String databaseWait) {
    return Capabilities.read(
        Map.of(
            ServerSetting.PORT,
            "0",
            StoreSetting.DATA,
            folder.resolve(name).toString(),
            StoreSetting.DB_URL,
            "jdbc:postgresql://127.0.0.1:" + databasePort + databaseAddress().getPath(),
            StoreSetting.DB_USER,
            database.user(),
            StoreSetting.DB_PASSWORD,
            database.password(),
            StoreSetting.DB_WAIT,
            databaseWait,
            ServerSetting.DRAIN,
            "PT0S",
            PaymentSetting.DOWNSTREAM,
            "simulator",
            NotificationSetting.SEND_TIMEOUT,
            Duration.ofMillis(BROKER_START_MS).toString()),
        Map.of(),
        Optional.empty());
  }

  @AfterAll
  static void stop() throws IOException {
    chromium.close();
    node.close();
    database.close();
  }

  @BeforeEach
  void open() {
    dashboard = chromium.open(node.address(), DashboardPage.Look.LIGHT);
  }

  @AfterEach
  void nothingWentWrong() {
    dashboard.close();
    assertThat(dashboard.errors()).isEmpty();
  }

  @Test
  void aUserIsLimitedAndAMessageFollowed() throws IOException {
    dashboard.go("notifications", "Notifications");
    assertThat(dashboard.page().getByText("No user has a limit yet")).isVisible();
    limit();
    sendMessage();
    assertThat(dashboard.panel("Users").getByRole(AriaRole.ROW).last()).containsText("1 of 10");
    look(
        "notifications",
        "Notifications",
        shown ->
            assertThat(shown.panel("Users").getByRole(AriaRole.ROW).last())
                .containsText("1 of 10"));
  }

  private void limit() {
    Locator limit = dashboard.panel("Limit of a user");
    limit.getByLabel("User").fill("101");
    limit.getByRole(AriaRole.BUTTON).click();
    assertThat(limit.getByText("User 101 gets up to 10 messages in 60 min.")).isVisible();
    assertThat(dashboard.panel("Users").getByRole(AriaRole.ROW).last()).containsText("0 of 10");
  }

  private void sendMessage() {
    Locator send = dashboard.panel("Send a message");
    send.getByLabel("User").fill("101");
    send.getByLabel("Message").fill("<b>hello</b>");
    send.getByRole(AriaRole.BUTTON).click();
    assertThat(send.getByText(Pattern.compile("^Message .* is accepted")))
        .isVisible(new LocatorAssertions.IsVisibleOptions().setTimeout(BROKER_START_MS));
    assertThat(dashboard.panel("Find a message").getByText("101")).isVisible();
  }

  @Test
  void aFeedIsFollowedAndAPaymentCancelled() throws IOException {
    dashboard.go("payments", "Payments");
    assertThat(dashboard.page().getByText("There is no feed yet")).isVisible();
    String csv =
        Feeds.HEADER
            + Feeds.lines("salary-", 19, "")
            + Feeds.line("later", "10.00", "2099-06-01T12:00:00Z")
            + Feeds.line("free", "0", "");
    Http http = new Http(node.address());
    Http.Answer sent =
        Feeds.send(http, "?feedId=salaries%20June", csv.getBytes(StandardCharsets.UTF_8));
    assertThat(sent.status()).as(sent.text()).isEqualTo(202);

    // The page finds it by itself, and follows it.
    dashboard
        .panel("Feeds")
        .getByRole(AriaRole.LINK, new Locator.GetByRoleOptions().setName("salaries June"))
        .click();
    assertThat(dashboard.panel("salaries June").getByText("19 (95 % have ended)")).isVisible();
    assertThat(dashboard.panel("Rate against the ceiling").getByRole(AriaRole.IMG))
        .hasAttribute("alt", "Calls per second of salaries June with the ceiling");
    assertThat(dashboard.panel("Rejected records").getByRole(AriaRole.ROW).last())
        .containsText("amount must be above 0");

    Locator finder = dashboard.panel("Find a payment");
    finder.getByLabel("Payment id").fill("later");
    finder.getByLabel("Payment id").press("Enter");
    assertThat(finder.getByText("scheduled", exactly())).isVisible();
    finder
        .getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Cancel the payment"))
        .click();
    dashboard.button("Cancel it").click();
    assertThat(finder.getByText("cancelled", exactly())).isVisible();
    assertThat(http.get("/api/v1/payments/later").ok().textAt("state")).isEqualTo("CANCELLED");
    assertThat(dashboard.panel("salaries June").getByText("done", exactly())).isVisible();
    try (DashboardPage there = chromium.open(node.address(), "Asia/Kolkata")) {
      there.go("payments/salaries%20June", "Payments");
      assertThat(there.panel("Rate against the ceiling").getByRole(AriaRole.IMG))
          .hasAttribute("src", Pattern.compile("from%20\\d{4}-\\d\\d-[^<]*Asia%2F"));
    }
    look(
        "payments/salaries%20June",
        "Payments",
        shown -> {
          assertThat(shown.panel("Feeds").getByRole(AriaRole.ROW).last()).containsText("100 %");
          assertThat(shown.panel("Rejected records").getByRole(AriaRole.ROW).last()).isVisible();
        });
  }

  private static Locator.GetByTextOptions exactly() {
    return new Locator.GetByTextOptions().setExact(true);
  }

  /** On a node of its own, because the page does not wait a minute for what the node says. */
  @Test
  void everyPageSaysThatTheDatabaseIsGoneAndGoesOnWhenItIsBack() throws IOException {
    try (Relay toDatabase = new Relay(databaseAddress().getPort());
        Node impatient = TestNode.impatient(settings("impatient", toDatabase.port(), "PT3S"));
        DashboardPage shown = chromium.open(impatient.address(), DashboardPage.Look.LIGHT)) {
      Locator banner = shown.page().locator("#watch");
      shown.go("slots", "Slots");
      assertThat(shown.tile("limit").locator("dd").first()).hasText("100");
      toDatabase.cut();
      try {
        assertThat(banner).containsText("The node is not ready: the database does not answer.");
        for (String page : new String[] {"Configurations", "Rules", "Notifications", "Payments"}) {
          shown.go(page.toLowerCase(Locale.ROOT), page);
          assertThat(banner).isVisible();
          assertThat(shown.page().getByRole(AriaRole.MAIN).getByRole(AriaRole.ALERT).first())
              .containsText("Trying again.");
        }
        shown.go("configurations", "Configurations");
        assertThat(shown.page().getByRole(AriaRole.MAIN).getByRole(AriaRole.ALERT)).isVisible();
      } finally {
        toDatabase.mend();
      }
      assertThat(shown.panel("In force").getByRole(AriaRole.ROW).nth(1)).isVisible();
      assertThat(banner).isHidden();
      shown.go("now", "Now");
      assertThat(shown.tile("store").locator("dd").first()).hasText("Ready");
      assertThat(shown.errors()).isEmpty();
    }
  }

  /** Keeps pictures of a page in every look, each without a serious finding of axe. */
  private static void look(String route, String heading, Consumer<DashboardPage> settle)
      throws IOException {
    for (DashboardPage.Look look : DashboardPage.Look.values()) {
      try (DashboardPage shown = chromium.open(node.address(), look)) {
        shown.go(route, heading);
        settle.accept(shown);
        shown.screenshot(route.replaceAll("/.*", "") + "-" + look.fileName());
        assertThat(shown.seriousFindings()).isEmpty();
        assertThat(shown.isTooWide()).isFalse();
      }
    }
  }
}
