package dev.weir.notifications.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.settings.Setting;
import dev.weir.node.stores.StoreSetting;
import dev.weir.notifications.kafka.KafkaCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Period;
import java.util.HashMap;
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
    NotificationSettings settings = settings(Map.of(StoreSetting.DATA, folder.toString()));
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
                    NotificationSetting.KAFKA_SERVERS,
                    "one:9092, two:9093",
                    NotificationSetting.PROVIDER,
                    "log",
                    NotificationSetting.KAFKA_PROPERTIES,
                    file.toString()))
            .kafka()
            .cluster()
            .orElseThrow();
    assertThat(cluster.bootstrapServers(Duration.ZERO)).contains("one:9092,two:9093");
    assertThat(cluster.clientProperties())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of("security.protocol", "SASL_SSL", "sasl.jaas.config", "a b c;"));
    refuses(
        NotificationSetting.KAFKA_PROPERTIES,
        Map.of(NotificationSetting.KAFKA_PROPERTIES, file.toString()));
  }

  @Test
  void invalidSettingsAreNamed() {
    for (String servers : List.of("kafka", "http://kafka:9092", "kafka:x", "a:1 b:2")) {
      refuses(
          NotificationSetting.KAFKA_SERVERS, Map.of(NotificationSetting.KAFKA_SERVERS, servers));
    }
    refuses(
        NotificationSetting.KAFKA_SERVERS,
        Map.of(
            NotificationSetting.KAFKA_SERVERS, "kafka:9092", StoreSetting.SLOTS_STORE, "memory"));
    refuses(
        NotificationSetting.KAFKA_PROPERTIES,
        Map.of(
            NotificationSetting.KAFKA_SERVERS,
            "kafka:9092",
            NotificationSetting.KAFKA_PROPERTIES,
            folder.resolve("missing").toString()));
    refuses(NotificationSetting.SEND_TIMEOUT, Map.of(NotificationSetting.SEND_TIMEOUT, "PT0S"));
    refuses(NotificationSetting.RETENTION, Map.of(NotificationSetting.RETENTION, "PT1M"));
    refuses(NotificationSetting.PROVIDER, Map.of(NotificationSetting.PROVIDER, "fax"));
    refuses(NotificationSetting.PROVIDER_RATE, Map.of(NotificationSetting.PROVIDER_RATE, "0"));
  }

  /** Nodes of different databases would share the default folder, and with it a broker. */
  @Test
  void nodeWithADatabaseOfItsOwnersHasAnEmbeddedBrokerOnlyInAFolderByName() {
    String url = "jdbc:postgresql://127.0.0.1/any";
    assertThat(settings(Map.of(StoreSetting.DB_URL, url)).kafka().folder()).isEmpty();
    assertThat(
            settings(Map.of(StoreSetting.DB_URL, url, StoreSetting.DATA, folder.toString()))
                .kafka()
                .folder())
        .contains(folder.resolve("kafka"));
  }

  /** Otherwise it takes a share of the messages of production and writes them to its log. */
  @Test
  void senderOnAKafkaOfItsOwnersNeedsAProviderByName() {
    refuses(NotificationSetting.PROVIDER, Map.of(NotificationSetting.KAFKA_SERVERS, "kafka:9092"));
    assertThat(
            settings(
                    Map.of(
                        NotificationSetting.KAFKA_SERVERS,
                        "kafka:9092",
                        NotificationSetting.PROVIDER,
                        "log"))
                .provider())
        .isEqualTo(new ProviderSettings.ToLog());
    assertThat(
            settings(
                    Map.of(
                        NotificationSetting.KAFKA_SERVERS,
                        "kafka:9092",
                        NotificationSetting.SENDER,
                        "false"))
                .isSender())
        .isFalse();
  }

  @Test
  void aProviderNeedsItsSettingsAndItsSecretsAreNotRepeated() {
    refuses(NotificationSetting.WEBHOOK_URL, Map.of(NotificationSetting.PROVIDER, "webhook"));
    refuses(
        NotificationSetting.WEBHOOK_SECRET,
        Map.of(
            NotificationSetting.PROVIDER, "webhook",
            NotificationSetting.WEBHOOK_URL, "https://sms.example/send"));
    refuses(NotificationSetting.SMPP_HOST, Map.of(NotificationSetting.PROVIDER, "smpp"));
    refuses(
        NotificationSetting.SMPP_SYSTEM_ID,
        Map.of(NotificationSetting.PROVIDER, "smpp", NotificationSetting.SMPP_HOST, "centre"));
    NotificationSettings webhook =
        settings(
            Map.of(
                NotificationSetting.PROVIDER, "webhook",
                NotificationSetting.WEBHOOK_URL, "https://sms.example/send",
                NotificationSetting.WEBHOOK_SECRET, SECRET));
    NotificationSettings smpp = settings(smpp(NotificationSetting.SMPP_PASSWORD, "hunter2-"));
    for (NotificationSettings settings : List.of(webhook, smpp)) {
      assertThat(settings.toString() + settings.provider()).doesNotContain("hunter2-");
    }
  }

  /** SMPP has no longer ones. */
  @Test
  void refusesATextThatIsTooLongForSmppWithoutRepeatingIt() {
    for (NotificationSetting setting :
        List.of(
            NotificationSetting.SMPP_SYSTEM_ID,
            NotificationSetting.SMPP_PASSWORD,
            NotificationSetting.SMPP_SYSTEM_TYPE,
            NotificationSetting.SMPP_SOURCE)) {
      assertThatThrownBy(() -> settings(smpp(setting, SECRET)))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessageStartingWith(setting.key())
          .message()
          .doesNotContain(SECRET);
    }
  }

  private static Map<Setting, String> smpp(Setting other, String value) {
    Map<Setting, String> settings =
        new HashMap<>(
            Map.of(
                NotificationSetting.PROVIDER, "smpp",
                NotificationSetting.SMPP_HOST, "centre",
                NotificationSetting.SMPP_SYSTEM_ID, "weir"));
    settings.put(other, value);
    return settings;
  }

  @Test
  void analyticsAreOffUnlessTheyAreSet() {
    AnalyticsSettings none = settings(Map.of()).analytics();
    assertThat(none.hasEvents()).isFalse();
    assertThat(none.search()).isEmpty();
    AnalyticsSettings events = settings(Map.of(NotificationSetting.EVENTS, "true")).analytics();
    assertThat(events.hasEvents()).isTrue();
    assertThat(events.search()).isEmpty();
    AnalyticsSettings both =
        settings(
                Map.of(
                    NotificationSetting.OPENSEARCH_URL, "https://search:9200",
                    NotificationSetting.OPENSEARCH_USER, "weir",
                    NotificationSetting.OPENSEARCH_PASSWORD, SECRET,
                    NotificationSetting.OPENSEARCH_RETENTION, "P7D"))
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
      refuses(
          NotificationSetting.OPENSEARCH_URL, Map.of(NotificationSetting.OPENSEARCH_URL, wrong));
    }
    refuses(
        NotificationSetting.OPENSEARCH_URL,
        Map.of(NotificationSetting.OPENSEARCH_URL, url, StoreSetting.SLOTS_STORE, "memory"));
    refuses(
        NotificationSetting.OPENSEARCH_USER, Map.of(NotificationSetting.OPENSEARCH_USER, "weir"));
    refuses(
        NotificationSetting.OPENSEARCH_PASSWORD,
        Map.of(
            NotificationSetting.OPENSEARCH_URL, url, NotificationSetting.OPENSEARCH_USER, "weir"));
    refuses(
        NotificationSetting.OPENSEARCH_API_KEY,
        Map.of(
            NotificationSetting.OPENSEARCH_URL, url,
            NotificationSetting.OPENSEARCH_USER, "weir",
            NotificationSetting.OPENSEARCH_PASSWORD, SECRET,
            NotificationSetting.OPENSEARCH_API_KEY, SECRET));
    refuses(
        NotificationSetting.OPENSEARCH_API_KEY,
        Map.of(
            NotificationSetting.OPENSEARCH_URL,
            url,
            NotificationSetting.OPENSEARCH_API_KEY,
            SECRET + " x"));
    Path noCertificate = Files.writeString(folder.resolve("none.pem"), "none");
    refuses(
        NotificationSetting.OPENSEARCH_TRUST,
        Map.of(
            NotificationSetting.OPENSEARCH_URL,
            url,
            NotificationSetting.OPENSEARCH_TRUST,
            noCertificate.toString()));
    refuses(
        NotificationSetting.OPENSEARCH_RETENTION,
        Map.of(NotificationSetting.OPENSEARCH_RETENTION, "PT1H"));
    refuses(
        NotificationSetting.OPENSEARCH_RETENTION,
        Map.of(NotificationSetting.OPENSEARCH_RETENTION, "PT36H"));
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
    return NotificationSettings.of(Capabilities.read(given, Map.of(), Optional.empty()));
  }
}
