package dev.weir.payments.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Setting;
import dev.weir.node.stores.StoreSetting;
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
    return PaymentSettings.of(Capabilities.read(given, Map.of(), Optional.empty()));
  }

  /** Returns settings of a Temporal server and a payment API, and more. */
  private static Map<Setting, String> remote(Map<Setting, String> more) {
    Map<Setting, String> given = new HashMap<>();
    given.put(PaymentSetting.TEMPORAL_ADDRESS, "temporal:7233");
    given.put(PaymentSetting.DOWNSTREAM, "https://bank.example.com/api");
    given.putAll(more);
    return given;
  }

  @Test
  void refusesMeaningsFieldsAndPathsThatCannotBeRead() {
    refuses(PaymentSetting.STATUSES, remote(Map.of(PaymentSetting.STATUSES, "409=maybe")));
    refuses(PaymentSetting.FIELDS, remote(Map.of(PaymentSetting.FIELDS, "amount")));
    for (String path : List.of("payments/{key}", "/payments", "/{key}/{key}", "/a b/{key}")) {
      refuses(PaymentSetting.LOOKUP, remote(Map.of(PaymentSetting.LOOKUP, path)));
    }
    refuses(PaymentSetting.PACE, remote(Map.of(PaymentSetting.PACE, "fast")));
  }

  @Test
  void callsFollowTheirConfigurationUnlessAHigherPaceIsAskedFor() {
    assertThat(settings(remote(Map.of())).isPaced()).isTrue();
    assertThat(settings(remote(Map.of(PaymentSetting.PACE, "ceiling"))).isPaced()).isFalse();
    assertThat(
            settings(remote(Map.of(PaymentSetting.LOOKUP, "/payments/{key}?v=2"))).api().lookUp())
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
        settings(
            Map.of(StoreSetting.DATA, folder.toString(), ServerSetting.SLOTS_DEFAULT_NAME, "bank"));
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
    Map<Setting, String> database = Map.of(StoreSetting.DB_URL, "jdbc:postgresql://db/weir");
    assertThat(settings(database).api().target()).isEqualTo(new PaymentSettings.Target.None());
    Map<Setting, String> asked = new HashMap<>(database);
    asked.put(PaymentSetting.DOWNSTREAM, "simulator");
    assertThat(settings(asked).api().target()).isEqualTo(new PaymentSettings.Target.Simulator());
    assertThat(settings(Map.of(PaymentSetting.DOWNSTREAM, "simulator")).api().target())
        .isEqualTo(new PaymentSettings.Target.Simulator());
    refuses(PaymentSetting.DOWNSTREAM, remote(Map.of(PaymentSetting.DOWNSTREAM, "simulator")));
    asked.put(PaymentSetting.AUTHORIZATION, SECRET);
    refuses(PaymentSetting.AUTHORIZATION, asked);
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
                    PaymentSetting.TEMPORAL_NAMESPACE, "pay.a1b2c",
                    PaymentSetting.TEMPORAL_API_KEY, SECRET,
                    PaymentSetting.CONFIG, "bank",
                    PaymentSetting.CEILING_KIND, "smooth")));
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
      refuses(
          PaymentSetting.TEMPORAL_ADDRESS,
          remote(Map.of(PaymentSetting.TEMPORAL_ADDRESS, address)));
    }
    refuses(PaymentSetting.DOWNSTREAM, Map.of(PaymentSetting.TEMPORAL_ADDRESS, "temporal:7233"));
    refuses(PaymentSetting.DOWNSTREAM, Map.of(PaymentSetting.DOWNSTREAM, "bank"));
    refuses(
        PaymentSetting.DOWNSTREAM,
        Map.of(PaymentSetting.DOWNSTREAM, "http://me:" + SECRET + "@bank"));
    refuses(PaymentSetting.DOWNSTREAM, Map.of(PaymentSetting.DOWNSTREAM, "http://bank/#a"));
    refuses(PaymentSetting.AUTHORIZATION, Map.of(PaymentSetting.AUTHORIZATION, SECRET));
    refuses(
        PaymentSetting.AUTHORIZATION,
        remote(Map.of(PaymentSetting.AUTHORIZATION, SECRET + "\r\nX: y")));
    refuses(PaymentSetting.CEILING, Map.of(PaymentSetting.CEILING, "1"));
    refuses(PaymentSetting.CEILING_KIND, Map.of(PaymentSetting.CEILING_KIND, "soft"));
    refuses(PaymentSetting.GRACE, Map.of(PaymentSetting.GRACE, "PT0S"));
    refuses(PaymentSetting.TIMEOUT, Map.of(PaymentSetting.TIMEOUT, "PT5M"));
    refuses(PaymentSetting.LATENESS, Map.of(PaymentSetting.LATENESS, "PT1H"));
    refuses(PaymentSetting.PAUSE, Map.of(PaymentSetting.PAUSE, "PT0S"));
    for (Setting duration :
        List.of(
            PaymentSetting.PAUSE,
            PaymentSetting.LATENESS,
            PaymentSetting.TIMEOUT,
            PaymentSetting.GRACE)) {
      refuses(duration, Map.of(duration, "PT1.0000000001S"));
      refuses(duration, Map.of(duration, "PT1.000000001S"));
    }
    assertThat(settings(Map.of(PaymentSetting.PAUSE, "PT1.000001S")).api().pause())
        .isEqualTo(Duration.ofNanos(1_000_001_000));
    refuses(PaymentSetting.GIVE_UP_AFTER, Map.of(PaymentSetting.GIVE_UP_AFTER, "P31D"));
    refuses(PaymentSetting.CONFIG, Map.of(PaymentSetting.CONFIG, "a b"));
    refuses(
        PaymentSetting.TEMPORAL_TASK_QUEUE,
        Map.of(PaymentSetting.TEMPORAL_TASK_QUEUE, "q".repeat(201)));
    refuses(
        PaymentSetting.TEMPORAL_API_KEY,
        remote(Map.of(PaymentSetting.TEMPORAL_API_KEY, SECRET + " x")));
    for (Setting unused :
        List.of(
            PaymentSetting.TEMPORAL_NAMESPACE,
            PaymentSetting.TEMPORAL_TRUST,
            PaymentSetting.TEMPORAL_CERTIFICATE,
            PaymentSetting.TEMPORAL_KEY,
            PaymentSetting.TEMPORAL_API_KEY)) {
      refuses(unused, Map.of(unused, SECRET));
    }
    refuses(PaymentSetting.TEMPORAL_TLS, Map.of(PaymentSetting.TEMPORAL_TLS, "true"));
    for (Setting needsDatabase :
        List.of(PaymentSetting.TEMPORAL_ADDRESS, PaymentSetting.DOWNSTREAM)) {
      refuses(
          needsDatabase, Map.of(needsDatabase, "http://bank", StoreSetting.SLOTS_STORE, "memory"));
    }
  }

  @Test
  void filesOfTlsAreReadWithTheSettings() throws IOException {
    String nothing = Files.writeString(folder.resolve("nothing.pem"), "nothing\n").toString();
    String missing = folder.resolve("missing.pem").toString();
    refuses(PaymentSetting.TEMPORAL_TRUST, remote(Map.of(PaymentSetting.TEMPORAL_TRUST, missing)));
    refuses(PaymentSetting.TEMPORAL_TRUST, remote(Map.of(PaymentSetting.TEMPORAL_TRUST, nothing)));
    refuses(
        PaymentSetting.TEMPORAL_KEY, remote(Map.of(PaymentSetting.TEMPORAL_CERTIFICATE, nothing)));
    refuses(
        PaymentSetting.TEMPORAL_CERTIFICATE,
        remote(
            Map.of(
                PaymentSetting.TEMPORAL_CERTIFICATE,
                nothing,
                PaymentSetting.TEMPORAL_KEY,
                nothing)));
  }
}
