package dev.weir.server.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Setting;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.stores.postgresql.EmbeddedDatabase;
import dev.weir.node.wiring.Node;
import dev.weir.server.faults.Api;
import dev.weir.server.faults.LockWait;
import dev.weir.server.faults.PreparedDatabase;
import dev.weir.server.slots.node.SlotSetting;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two real nodes end and give slots of the same events at the same moment, across configurations,
 * while a reconciler reclaims. Afterwards the database must prove every rule.
 */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class RacingEndingsIT {
  private static final List<String> CONFIGS = List.of("x", "y", "z");
  private static final int EVENTS = 12;
  private static final int CALLERS = 8;
  private static final int CALLS = 120;

  @Test
  void theDatabaseProvesEveryRuleAfterRacingEndings(@TempDir Path folder) throws Exception {
    try (EmbeddedDatabase postgresql = PreparedDatabase.start(folder.resolve("data"));
        Node one = start(postgresql);
        Node two = start(postgresql);
        Api first = new Api(one.address());
        Api second = new Api(two.address())) {
      for (String config : CONFIGS) {
        first.configure(
            "{'configName':'%s','maxPerWindow':2,'windowSize':'PT4S'}".formatted(config));
      }
      for (int event = 0; event < EVENTS; event++) {
        assertThat(request(first, event, "x", 0).statusCode()).isEqualTo(200);
      }
      List<FutureTask<Boolean>> callers = new ArrayList<>();
      for (int caller = 0; caller < CALLERS; caller++) {
        Random random = new Random(caller);
        Api api = caller % 2 == 0 ? first : second;
        callers.add(new FutureTask<>(() -> muddle(api, random)));
      }
      callers.forEach(Thread.ofVirtual()::start);
      for (FutureTask<Boolean> caller : callers) {
        assertThat(caller.get()).isTrue();
      }

      Findings findings = check(postgresql);
      assertThat(findings.clean()).as(findings.toString()).isTrue();
      assertThat(findings.lookedAt(Invariant.TIMES, "slots")).isEqualTo(EVENTS);
    }
  }

  private static boolean muddle(Api api, Random random) {
    for (int call = 0; call < CALLS; call++) {
      int event = random.nextInt(EVENTS);
      switch (random.nextInt(20)) {
        // Not more: what is confirmed never ends.
        case 0 ->
            assertThat(status(() -> api.post("/api/v1/slots/e" + event % 2 + "/confirm", "{}")))
                .isIn(200, 409);
        case 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 ->
            assertThat(status(() -> api.delete("/api/v1/slots/e" + event))).isIn(204, 409);
        default -> {
          String config = CONFIGS.get(random.nextInt(CONFIGS.size()));
          // Slots of past times can be reclaimed meanwhile.
          int seconds = random.nextInt(-60, 60);
          assertThat(status(() -> request(api, event, config, seconds))).isEqualTo(200);
        }
      }
    }
    return true;
  }

  /** All of these requests may be repeated. */
  private static int status(LockWait.Request<HttpResponse<String>> request) {
    return LockWait.answer(request, answer -> LockWait.isUnavailable(answer.body())).statusCode();
  }

  private static HttpResponse<String> request(Api api, int event, String config, int seconds)
      throws IOException, InterruptedException {
    return api.post(
        "/api/v1/slots",
        "{\"eventId\":\"e%d\",\"configName\":\"%s\",\"requestedTime\":\"%s\"}"
            .formatted(event, config, Instant.now().plusSeconds(seconds)));
  }

  private static Node start(EmbeddedDatabase postgresql) {
    Map<Setting, String> settings =
        Map.of(
            ServerSetting.PORT,
            "0",
            ServerSetting.DRAIN,
            "PT0S",
            StoreSetting.DB_URL,
            postgresql.jdbcUrl(),
            StoreSetting.DB_USER,
            postgresql.user(),
            StoreSetting.DB_PASSWORD,
            postgresql.password(),
            StoreSetting.DB_WAIT,
            "PT1M",
            SlotSetting.RECLAIM,
            "true",
            SlotSetting.LEAK_GRACE,
            "PT0S",
            SlotSetting.UPKEEP_EVERY,
            "PT0.02S");
    return Node.start(Capabilities.read(settings, Map.of(), Optional.empty()));
  }

  private static Findings check(EmbeddedDatabase postgresql) throws Exception {
    try (Connection connection =
        DriverManager.getConnection(
            postgresql.jdbcUrl(), postgresql.user(), postgresql.password())) {
      Verifier verifier = new Verifier(connection);
      // Events that were cancelled were requested again, so free places prove nothing.
      verifier.slots(Long.MIN_VALUE, Verifier.Past.UNKNOWN);
      return verifier.findings();
    }
  }
}
