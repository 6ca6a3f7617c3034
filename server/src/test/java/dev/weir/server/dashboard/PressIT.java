package dev.weir.server.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Mouse;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.BoundingBox;
import dev.weir.server.http.Http;
import dev.weir.server.http.RunningNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The page changes while a button is held down. */
@EnabledIfEnvironmentVariable(named = Chromium.FOLDER, matches = ".+")
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SAME_THREAD)
final class PressIT {
  @RegisterExtension static final RunningNode NODE = RunningNode.inMemory(Map.of());

  private static Chromium chromium;

  private final Http http = NODE.http();
  private DashboardPage dashboard;
  private Mouse mouse;

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
    mouse = dashboard.page().mouse();
  }

  @AfterEach
  void nothingWentWrong() {
    dashboard.close();
    assertThat(dashboard.errors()).isEmpty();
  }

  @Test
  void aButtonThatMovesMeanwhileIsClicked() {
    double y = pressCreate("moving");
    assertThat(box(dashboard.button("Create")).y).isGreaterThan(y);
    mouse.up();
    assertThat(dashboard.panel("moving")).isVisible();
  }

  @Test
  void aPressIsTakenBackByMovingAway() {
    pressCreate("left");
    mouse.move(2, 2);
    mouse.up();
    dashboard.field("Name").fill("stayed");
    dashboard.button("Create").click();
    assertThat(dashboard.panel("stayed")).isVisible();
    assertThat(http.get("/admin/rate-limit/config?name=left").status()).isEqualTo(404);
  }

  /**
   * Presses the button while the form is checked, and returns when the result has moved it, with
   * the height at which it was pressed.
   */
  private double pressCreate(String name) {
    List<Route> held = new ArrayList<>();
    Pattern check = Pattern.compile("/what-if$");
    dashboard.go("configurations/+new", "Configurations");
    dashboard.page().route(check, held::add);
    dashboard.field("Name").fill(name);
    dashboard.page().waitForCondition(() -> !held.isEmpty());
    Locator create = dashboard.button("Create");
    create.hover();
    BoundingBox pressed = box(create);
    mouse.down();
    dashboard.page().unroute(check);
    held.forEach(Route::resume);
    assertThat(dashboard.page().getByText(Pattern.compile("^Valid\\. At most"))).isVisible();
    return pressed.y + pressed.height / 2;
  }

  @Test
  void aButtonThatIsDrawnAnewMeanwhileIsClicked() {
    String fields = "\"name\":\"changing\",\"allowedRequests\":%d,\"windowSeconds\":60";
    Http.Answer rule = http.post("/api/admin/rules", "{%s}".formatted(fields.formatted(7)));
    String path = "/api/admin/rules/" + rule.at("id");
    dashboard.go("rules/" + rule.at("id"), "Rules");
    dashboard.button("Put in shadow").hover();
    mouse.down();
    assertThat(http.put(path, "{%s}".formatted(fields.formatted(8))).status()).isEqualTo(200);
    assertThat(dashboard.panel("changing").getByText(Pattern.compile("^Version 2, "))).isVisible();
    mouse.up();
    assertThat(dashboard.button("Enforce")).isVisible();
    assertThat(http.get(path).text()).contains("\"mode\":\"shadow\"", "\"allowedRequests\":8");
  }

  private static BoundingBox box(Locator locator) {
    return Objects.requireNonNull(locator.boundingBox());
  }
}
