package dev.weir.server.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.AriaRole;
import dev.weir.server.wiring.Node;
import dev.weir.server.wiring.Setting;
import dev.weir.server.wiring.Settings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;

/** The page of messages, on a node with its own PostgreSQL and Kafka. */
@EnabledIfEnvironmentVariable(named = Chromium.FOLDER, matches = ".+")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SAME_THREAD)
final class DashboardNotificationsIT {
  @TempDir private Path folder;

  @Test
  void aUserIsLimitedAndAMessageFollowed() throws IOException {
    Settings settings =
        Settings.of(
            Map.of(
                Setting.PORT, "0",
                Setting.DATA, folder.toString(),
                Setting.DRAIN, "PT0S",
                // The first message waits for the start of the broker.
                Setting.NOTIFICATIONS_SEND_TIMEOUT, "PT1M"),
            Map.of(),
            Optional.empty());
    try (Node node = Node.start(settings);
        Chromium chromium = Chromium.launch();
        DashboardPage dashboard = chromium.open(node.address(), DashboardPage.Look.LIGHT)) {
      dashboard.go("notifications", "Notifications");
      assertThat(dashboard.page().getByText("No user has a limit yet")).isVisible();
      limit(dashboard);
      send(dashboard);
      assertThat(dashboard.panel("Users").getByRole(AriaRole.ROW).last()).containsText("1 of 10");
      look(chromium, node, dashboard);
      assertThat(dashboard.errors()).isEmpty();
    }
  }

  private static void limit(DashboardPage dashboard) {
    Locator limit = dashboard.panel("Limit of a user");
    limit.getByLabel("User").fill("101");
    limit.getByRole(AriaRole.BUTTON).click();
    assertThat(limit.getByText("User 101 gets up to 10 messages in 60 min.")).isVisible();
    assertThat(dashboard.panel("Users").getByRole(AriaRole.ROW).last()).containsText("0 of 10");
  }

  private static void send(DashboardPage dashboard) {
    Locator send = dashboard.panel("Send a message");
    send.getByLabel("User").fill("101");
    send.getByLabel("Message").fill("<b>hello</b>");
    send.getByRole(AriaRole.BUTTON).click();
    assertThat(send.getByText(Pattern.compile("^Message .* is accepted"))).isVisible();
    assertThat(dashboard.panel("Find a message").getByText("101")).isVisible();
  }

  private static void look(Chromium chromium, Node node, DashboardPage light) throws IOException {
    light.screenshot("notifications-light");
    assertThat(light.seriousFindings()).isEmpty();
    for (DashboardPage.Look look :
        new DashboardPage.Look[] {DashboardPage.Look.DARK, DashboardPage.Look.PHONE}) {
      try (DashboardPage other = chromium.open(node.address(), look)) {
        other.go("notifications", "Notifications");
        assertThat(other.panel("Users").getByRole(AriaRole.ROW).last()).containsText("1 of 10");
        other.screenshot("notifications-" + look.fileName());
        assertThat(other.seriousFindings()).isEmpty();
      }
    }
  }
}
