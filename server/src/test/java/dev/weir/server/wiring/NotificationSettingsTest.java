package dev.weir.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.notifications.kafka.KafkaCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NotificationSettingsTest {
  private static final String SECRET = "hunter2-hunter2-hunter2";

  @TempDir private Path folder;

  @Test
  void withoutSettingsABrokerIsEmbeddedAndMessagesGoToTheLog() {
    NotificationSettings settings = settings(Map.of(Setting.DATA, folder.toString()));
    assertThat(settings.kafka().cluster()).isEmpty();
    assertThat(settings.kafka().folder()).isEqualTo(folder.resolve("kafka"));
    assertThat(settings.provider()).isEqualTo(new ProviderSettings.ToLog());
    assertThat(settings.isSender()).isTrue();
    assertThat(settings.redis()).isEmpty();
    assertThat(settings.rate().partsPerSecond()).isEmpty();
  }

  @Test
  void propertiesOfClientsArePassedOn() throws IOException {
    Path file = folder.resolve("kafka.properties");
    Files.writeString(file, "security.protocol=SASL_SSL\nsasl.jaas.config=a b c;\n");
    KafkaCluster cluster =
        settings(
                Map.of(
                    Setting.KAFKA_SERVERS,
                    "one:9092, two:9093",
                    Setting.KAFKA_PROPERTIES,
                    file.toString()))
            .kafka()
            .cluster()
            .orElseThrow();
    assertThat(cluster.bootstrapServers(Duration.ZERO)).contains("one:9092,two:9093");
    assertThat(cluster.clientProperties())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of("security.protocol", "SASL_SSL", "sasl.jaas.config", "a b c;"));
    refuses(Setting.KAFKA_PROPERTIES, Map.of(Setting.KAFKA_PROPERTIES, file.toString()));
  }

  @Test
  void invalidSettingsAreNamed() {
    for (String servers : List.of("kafka", "http://kafka:9092", "kafka:x", "a:1 b:2")) {
      refuses(Setting.KAFKA_SERVERS, Map.of(Setting.KAFKA_SERVERS, servers));
    }
    refuses(
        Setting.KAFKA_SERVERS,
        Map.of(Setting.KAFKA_SERVERS, "kafka:9092", Setting.SLOTS_STORE, "memory"));
    refuses(
        Setting.KAFKA_PROPERTIES,
        Map.of(
            Setting.KAFKA_SERVERS,
            "kafka:9092",
            Setting.KAFKA_PROPERTIES,
            folder.resolve("missing").toString()));
    refuses(Setting.NOTIFICATIONS_SEND_TIMEOUT, Map.of(Setting.NOTIFICATIONS_SEND_TIMEOUT, "PT0S"));
    refuses(Setting.NOTIFICATIONS_RETENTION, Map.of(Setting.NOTIFICATIONS_RETENTION, "PT1M"));
    refuses(Setting.NOTIFICATIONS_PROVIDER, Map.of(Setting.NOTIFICATIONS_PROVIDER, "fax"));
    refuses(Setting.NOTIFICATIONS_PROVIDER_RATE, Map.of(Setting.NOTIFICATIONS_PROVIDER_RATE, "0"));
  }

  @Test
  void aProviderNeedsItsSettingsAndItsSecretsAreNotRepeated() {
    refuses(Setting.NOTIFICATIONS_WEBHOOK_URL, Map.of(Setting.NOTIFICATIONS_PROVIDER, "webhook"));
    refuses(
        Setting.NOTIFICATIONS_WEBHOOK_SECRET,
        Map.of(
            Setting.NOTIFICATIONS_PROVIDER, "webhook",
            Setting.NOTIFICATIONS_WEBHOOK_URL, "https://sms.example/send"));
    refuses(Setting.NOTIFICATIONS_SMPP_HOST, Map.of(Setting.NOTIFICATIONS_PROVIDER, "smpp"));
    refuses(
        Setting.NOTIFICATIONS_SMPP_SYSTEM_ID,
        Map.of(Setting.NOTIFICATIONS_PROVIDER, "smpp", Setting.NOTIFICATIONS_SMPP_HOST, "centre"));
    NotificationSettings webhook =
        settings(
            Map.of(
                Setting.NOTIFICATIONS_PROVIDER, "webhook",
                Setting.NOTIFICATIONS_WEBHOOK_URL, "https://sms.example/send",
                Setting.NOTIFICATIONS_WEBHOOK_SECRET, SECRET));
    NotificationSettings smpp =
        settings(
            Map.of(
                Setting.NOTIFICATIONS_PROVIDER, "smpp",
                Setting.NOTIFICATIONS_SMPP_HOST, "centre",
                Setting.NOTIFICATIONS_SMPP_SYSTEM_ID, "weir",
                Setting.NOTIFICATIONS_SMPP_PASSWORD, SECRET));
    for (NotificationSettings settings : List.of(webhook, smpp)) {
      assertThat(settings.toString() + settings.provider()).doesNotContain(SECRET);
    }
  }

  private static void refuses(Setting setting, Map<Setting, String> given) {
    assertThatThrownBy(() -> settings(given))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageStartingWith(setting.key() + " ")
        .message()
        .hasLineCount(1);
  }

  private static NotificationSettings settings(Map<Setting, String> given) {
    return NotificationSettings.of(Settings.of(given, Map.of(), Optional.empty()));
  }
}
