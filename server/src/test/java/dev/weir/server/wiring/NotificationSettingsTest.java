package dev.weir.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.notifications.kafka.KafkaCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Period;
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
    assertThat(settings.kafka().folder()).contains(folder.resolve("kafka"));
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
                    Setting.NOTIFICATIONS_PROVIDER,
                    "log",
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

  /** Nodes of different databases would share the default folder, and with it a broker. */
  @Test
  void nodeWithADatabaseOfItsOwnersHasAnEmbeddedBrokerOnlyInAFolderByName() {
    String url = "jdbc:postgresql://127.0.0.1/any";
    assertThat(settings(Map.of(Setting.DB_URL, url)).kafka().folder()).isEmpty();
    assertThat(
            settings(Map.of(Setting.DB_URL, url, Setting.DATA, folder.toString())).kafka().folder())
        .contains(folder.resolve("kafka"));
  }

  /** Otherwise it takes a share of the messages of production and writes them to its log. */
  @Test
  void senderOnAKafkaOfItsOwnersNeedsAProviderByName() {
    refuses(Setting.NOTIFICATIONS_PROVIDER, Map.of(Setting.KAFKA_SERVERS, "kafka:9092"));
    assertThat(
            settings(
                    Map.of(
                        Setting.KAFKA_SERVERS, "kafka:9092", Setting.NOTIFICATIONS_PROVIDER, "log"))
                .provider())
        .isEqualTo(new ProviderSettings.ToLog());
    assertThat(
            settings(
                    Map.of(
                        Setting.KAFKA_SERVERS, "kafka:9092", Setting.NOTIFICATIONS_SENDER, "false"))
                .isSender())
        .isFalse();
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

  @Test
  void analyticsAreOffUnlessTheyAreSet() {
    AnalyticsSettings none = settings(Map.of()).analytics();
    assertThat(none.hasEvents()).isFalse();
    assertThat(none.search()).isEmpty();
    AnalyticsSettings events = settings(Map.of(Setting.NOTIFICATIONS_EVENTS, "true")).analytics();
    assertThat(events.hasEvents()).isTrue();
    assertThat(events.search()).isEmpty();
    AnalyticsSettings both =
        settings(
                Map.of(
                    Setting.OPENSEARCH_URL, "https://search:9200",
                    Setting.OPENSEARCH_USER, "weir",
                    Setting.OPENSEARCH_PASSWORD, SECRET,
                    Setting.OPENSEARCH_RETENTION, "P7D"))
            .analytics();
    assertThat(both.hasEvents()).isTrue();
    assertThat(both.indexer().retention()).isEqualTo(Period.ofDays(7));
    assertThat(both.search().orElseThrow().authorization().orElseThrow()).startsWith("Basic ");
    assertThat(both.toString()).doesNotContain(SECRET);
  }

  @Test
  void invalidSettingsOfAnalyticsAreNamed() throws IOException {
    String url = "http://search:9200";
    for (String wrong :
        List.of("search:9200", "ftp://search", "http://weir:" + SECRET + "@search:9200")) {
      refuses(Setting.OPENSEARCH_URL, Map.of(Setting.OPENSEARCH_URL, wrong));
    }
    refuses(
        Setting.OPENSEARCH_URL, Map.of(Setting.OPENSEARCH_URL, url, Setting.SLOTS_STORE, "memory"));
    refuses(Setting.OPENSEARCH_USER, Map.of(Setting.OPENSEARCH_USER, "weir"));
    refuses(
        Setting.OPENSEARCH_PASSWORD,
        Map.of(Setting.OPENSEARCH_URL, url, Setting.OPENSEARCH_USER, "weir"));
    refuses(
        Setting.OPENSEARCH_API_KEY,
        Map.of(
            Setting.OPENSEARCH_URL, url,
            Setting.OPENSEARCH_USER, "weir",
            Setting.OPENSEARCH_PASSWORD, SECRET,
            Setting.OPENSEARCH_API_KEY, SECRET));
    refuses(
        Setting.OPENSEARCH_API_KEY,
        Map.of(Setting.OPENSEARCH_URL, url, Setting.OPENSEARCH_API_KEY, SECRET + " x"));
    Path noCertificate = Files.writeString(folder.resolve("none.pem"), "none");
    refuses(
        Setting.OPENSEARCH_TRUST,
        Map.of(Setting.OPENSEARCH_URL, url, Setting.OPENSEARCH_TRUST, noCertificate.toString()));
    refuses(Setting.OPENSEARCH_RETENTION, Map.of(Setting.OPENSEARCH_RETENTION, "PT1H"));
    refuses(Setting.OPENSEARCH_RETENTION, Map.of(Setting.OPENSEARCH_RETENTION, "PT36H"));
  }

  private static void refuses(Setting setting, Map<Setting, String> given) {
    assertThatThrownBy(() -> settings(given))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageStartingWith(setting.key() + " ")
        .hasMessageNotContaining(SECRET)
        .message()
        .hasLineCount(1);
  }

  private static NotificationSettings settings(Map<Setting, String> given) {
    return NotificationSettings.of(Settings.of(given, Map.of(), Optional.empty()));
  }
}
