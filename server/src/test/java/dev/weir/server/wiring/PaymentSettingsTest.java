package dev.weir.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.workflows.TemporalConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PaymentSettingsTest {
  private static final String SECRET = "hunter2-hunter2-hunter2";

  @TempDir private Path folder;

  private static PaymentSettings settings(Map<Setting, String> given) {
    return PaymentSettings.of(Settings.of(given, Map.of(), Optional.empty()));
  }

  /** Returns settings of a Temporal server and a payment API, and more. */
  private static Map<Setting, String> remote(Map<Setting, String> more) {
    Map<Setting, String> given = new HashMap<>();
    given.put(Setting.TEMPORAL_ADDRESS, "temporal:7233");
    given.put(Setting.PAYMENTS_DOWNSTREAM, "https://bank.example.com/api");
    given.putAll(more);
    return given;
  }

  @Test
  void refusesMeaningsFieldsAndPathsThatCannotBeRead() {
    refuses(Setting.PAYMENTS_STATUSES, remote(Map.of(Setting.PAYMENTS_STATUSES, "409=maybe")));
    refuses(Setting.PAYMENTS_FIELDS, remote(Map.of(Setting.PAYMENTS_FIELDS, "amount")));
    for (String path : List.of("payments/{key}", "/payments", "/{key}/{key}", "/a b/{key}")) {
      refuses(Setting.PAYMENTS_LOOKUP, remote(Map.of(Setting.PAYMENTS_LOOKUP, path)));
    }
    refuses(Setting.PAYMENTS_PACE, remote(Map.of(Setting.PAYMENTS_PACE, "fast")));
  }

  @Test
  void callsFollowTheirConfigurationUnlessAHigherPaceIsAskedFor() {
    assertThat(settings(remote(Map.of())).isPaced()).isTrue();
    assertThat(settings(remote(Map.of(Setting.PAYMENTS_PACE, "ceiling"))).isPaced()).isFalse();
    assertThat(
            settings(remote(Map.of(Setting.PAYMENTS_LOOKUP, "/payments/{key}?v=2"))).api().lookUp())
        .isEqualTo("/payments/{key}?v=2");
  }

  private static void refuses(Setting setting, Map<Setting, String> given) {
    assertThatThrownBy(() -> settings(given))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageStartingWith(setting.key() + " ")
        .hasMessageNotContaining(SECRET);
  }

  @Test
  void withoutSettingsEverythingIsEmbedded() {
    PaymentSettings settings =
        settings(Map.of(Setting.DATA, folder.toString(), Setting.SLOTS_DEFAULT_NAME, "bank"));
    assertThat(settings.temporal()).isEmpty();
    assertThat(settings.api().target()).isEqualTo(new PaymentSettings.Target.Simulator());
    assertThat(settings.configName()).isEqualTo("bank");
    assertThat(settings.ceiling()).isEqualTo(new PaymentSettings.CeilingSettings(50, true));
    assertThat(settings.folder()).isEqualTo(folder.resolve("payments"));
    assertThat(settings.taskQueue()).isEqualTo("payment-exec");
    assertThat(settings.giveUpAfter()).isEqualTo(Duration.ofDays(1));
    assertThat(settings.api().pause()).isEqualTo(Duration.ofMinutes(15));
    assertThat(settings.api().maxPause())
        .as("of calls that the simulated API may handle after its node was killed")
        .isLessThan(Duration.ofMinutes(1));
  }

  @Test
  void simulatorIsAskedForWhereTheDatabaseIsOfTheUser() {
    Map<Setting, String> database = Map.of(Setting.DB_URL, "jdbc:postgresql://db/weir");
    assertThat(settings(database).api().target()).isEqualTo(new PaymentSettings.Target.None());
    Map<Setting, String> asked = new HashMap<>(database);
    asked.put(Setting.PAYMENTS_DOWNSTREAM, "simulator");
    assertThat(settings(asked).api().target()).isEqualTo(new PaymentSettings.Target.Simulator());
    assertThat(settings(Map.of(Setting.PAYMENTS_DOWNSTREAM, "simulator")).api().target())
        .isEqualTo(new PaymentSettings.Target.Simulator());
    refuses(Setting.PAYMENTS_DOWNSTREAM, remote(Map.of(Setting.PAYMENTS_DOWNSTREAM, "simulator")));
    asked.put(Setting.PAYMENTS_AUTHORIZATION, SECRET);
    refuses(Setting.PAYMENTS_AUTHORIZATION, asked);
  }

  @Test
  void aServerIsReachedAsTheSettingsSay() {
    TemporalConnection.Settings plain = settings(remote(Map.of())).temporal().orElseThrow();
    assertThat(plain.serviceAddress()).isEqualTo("temporal:7233");
    assertThat(plain.namespace()).isEqualTo("default");
    assertThat(plain.tls()).isEmpty();
    assertThat(settings(remote(Map.of())).api().maxPause()).isEqualTo(Duration.ofMinutes(15));
    PaymentSettings cloud =
        settings(
            remote(
                Map.of(
                    Setting.TEMPORAL_NAMESPACE, "pay.a1b2c",
                    Setting.TEMPORAL_API_KEY, SECRET,
                    Setting.PAYMENTS_CONFIG, "bank",
                    Setting.PAYMENTS_CEILING_KIND, "smooth")));
    assertThat(cloud.temporal().orElseThrow().namespace()).isEqualTo("pay.a1b2c");
    assertThat(cloud.temporal().orElseThrow().apiKey()).isEqualTo(SECRET);
    assertThat(cloud.temporal().orElseThrow().tls()).isPresent();
    assertThat(cloud.toString()).doesNotContain(SECRET);
    assertThat(cloud.configName()).isEqualTo("bank");
    assertThat(cloud.ceiling().isHard()).isFalse();
  }

  @Test
  void invalidSettingsAreNamed() throws IOException {
    for (String address : List.of("temporal", "http://temporal:7233", "a:x", "a:1,b:2")) {
      refuses(Setting.TEMPORAL_ADDRESS, remote(Map.of(Setting.TEMPORAL_ADDRESS, address)));
    }
    refuses(Setting.PAYMENTS_DOWNSTREAM, Map.of(Setting.TEMPORAL_ADDRESS, "temporal:7233"));
    refuses(Setting.PAYMENTS_DOWNSTREAM, Map.of(Setting.PAYMENTS_DOWNSTREAM, "bank"));
    refuses(
        Setting.PAYMENTS_DOWNSTREAM,
        Map.of(Setting.PAYMENTS_DOWNSTREAM, "http://me:" + SECRET + "@bank"));
    refuses(Setting.PAYMENTS_DOWNSTREAM, Map.of(Setting.PAYMENTS_DOWNSTREAM, "http://bank/#a"));
    refuses(Setting.PAYMENTS_AUTHORIZATION, Map.of(Setting.PAYMENTS_AUTHORIZATION, SECRET));
    refuses(
        Setting.PAYMENTS_AUTHORIZATION,
        remote(Map.of(Setting.PAYMENTS_AUTHORIZATION, SECRET + "\r\nX: y")));
    refuses(Setting.PAYMENTS_CEILING, Map.of(Setting.PAYMENTS_CEILING, "1"));
    refuses(Setting.PAYMENTS_CEILING_KIND, Map.of(Setting.PAYMENTS_CEILING_KIND, "soft"));
    refuses(Setting.PAYMENTS_GRACE, Map.of(Setting.PAYMENTS_GRACE, "PT0S"));
    refuses(Setting.PAYMENTS_TIMEOUT, Map.of(Setting.PAYMENTS_TIMEOUT, "PT5M"));
    refuses(Setting.PAYMENTS_LATENESS, Map.of(Setting.PAYMENTS_LATENESS, "PT1H"));
    refuses(Setting.PAYMENTS_PAUSE, Map.of(Setting.PAYMENTS_PAUSE, "PT0S"));
    for (Setting duration :
        List.of(
            Setting.PAYMENTS_PAUSE,
            Setting.PAYMENTS_LATENESS,
            Setting.PAYMENTS_TIMEOUT,
            Setting.PAYMENTS_GRACE)) {
      refuses(duration, Map.of(duration, "PT1.0000000001S"));
      refuses(duration, Map.of(duration, "PT1.000000001S"));
    }
    assertThat(settings(Map.of(Setting.PAYMENTS_PAUSE, "PT1.000001S")).api().pause())
        .isEqualTo(Duration.ofNanos(1_000_001_000));
    refuses(Setting.PAYMENTS_GIVE_UP_AFTER, Map.of(Setting.PAYMENTS_GIVE_UP_AFTER, "P31D"));
    refuses(Setting.PAYMENTS_CONFIG, Map.of(Setting.PAYMENTS_CONFIG, "a b"));
    refuses(Setting.TEMPORAL_TASK_QUEUE, Map.of(Setting.TEMPORAL_TASK_QUEUE, "q".repeat(201)));
    refuses(Setting.TEMPORAL_API_KEY, remote(Map.of(Setting.TEMPORAL_API_KEY, SECRET + " x")));
    for (Setting unused :
        List.of(
            Setting.TEMPORAL_NAMESPACE,
            Setting.TEMPORAL_TRUST,
            Setting.TEMPORAL_CERTIFICATE,
            Setting.TEMPORAL_KEY,
            Setting.TEMPORAL_API_KEY)) {
      refuses(unused, Map.of(unused, SECRET));
    }
    refuses(Setting.TEMPORAL_TLS, Map.of(Setting.TEMPORAL_TLS, "true"));
    for (Setting needsDatabase : List.of(Setting.TEMPORAL_ADDRESS, Setting.PAYMENTS_DOWNSTREAM)) {
      refuses(needsDatabase, Map.of(needsDatabase, "http://bank", Setting.SLOTS_STORE, "memory"));
    }
  }

  @Test
  void filesOfTlsAreReadWithTheSettings() throws IOException {
    String nothing = Files.writeString(folder.resolve("nothing.pem"), "nothing\n").toString();
    String missing = folder.resolve("missing.pem").toString();
    refuses(Setting.TEMPORAL_TRUST, remote(Map.of(Setting.TEMPORAL_TRUST, missing)));
    refuses(Setting.TEMPORAL_TRUST, remote(Map.of(Setting.TEMPORAL_TRUST, nothing)));
    refuses(Setting.TEMPORAL_KEY, remote(Map.of(Setting.TEMPORAL_CERTIFICATE, nothing)));
    refuses(
        Setting.TEMPORAL_CERTIFICATE,
        remote(Map.of(Setting.TEMPORAL_CERTIFICATE, nothing, Setting.TEMPORAL_KEY, nothing)));
  }
}
