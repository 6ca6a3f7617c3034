package dev.weir.notifications.server.node;

import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.settings.Settings;
import dev.weir.node.stores.DatabaseSettings;
import dev.weir.node.stores.RedisAddress;
import dev.weir.node.stores.StoreSetting;
import dev.weir.notifications.sender.RetryPolicy;
import dev.weir.notifications.sender.SenderSettings.Repetition;
import dev.weir.store.redis.RedisSettings;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The settings of notifications.
 *
 * @param redis counts users that are over their limit; empty leaves every decision to PostgreSQL
 * @param storeWait max time that a request waits until the database takes it
 * @param retention how long messages are kept
 * @param maxDeferred max number of deferred messages of a user
 * @param isSender whether this node hands messages to the provider
 * @param repetition what is done with messages that were handed over and not answered
 */
public record NotificationSettings(
    KafkaSettings kafka,
    Optional<RedisSettings> redis,
    Duration storeWait,
    Duration sendTimeout,
    Duration retention,
    int maxDeferred,
    boolean isSender,
    SenderRate rate,
    ProviderSettings provider,
    RetryPolicy retries,
    Repetition repetition,
    AnalyticsSettings analytics) {
  private static final Duration MIN_SEND_TIMEOUT = Duration.ofSeconds(1);
  private static final Duration MAX_SEND_TIMEOUT = Duration.ofMinutes(5);

  /** Longer than anything that may publish a message again. */
  private static final Duration MIN_RETENTION = Duration.ofHours(1);

  private static final Duration MAX_RETENTION = Duration.ofDays(100 * 365);
  private static final int MAX_RATE = 1_000_000;
  private static final int MAX_UNANSWERED = 1_000;
  private static final Duration MAX_RETRY_FOR = Duration.ofDays(7);
  private static final Duration MIN_RETRY_PAUSE = Duration.ofMillis(10);
  private static final Duration MAX_RETRY_PAUSE = Duration.ofHours(1);
  private static final int MAX_DEFERRED = 100_000;

  /**
   * A limit on what the provider is handed.
   *
   * @param partsPerSecond empty for no limit
   */
  public record SenderRate(OptionalInt partsPerSecond) {
    private static SenderRate of(Settings settings) {
      return new SenderRate(
          settings.optional(NotificationSetting.PROVIDER_RATE).isPresent()
              ? OptionalInt.of(settings.number(NotificationSetting.PROVIDER_RATE, 1, MAX_RATE))
              : OptionalInt.empty());
    }
  }

  public static NotificationSettings of(Settings settings) {
    DatabaseSettings.requirePostgresql(
        settings,
        "notifications",
        List.of(NotificationSetting.KAFKA_SERVERS, NotificationSetting.OPENSEARCH_URL));
    KafkaSettings kafka = KafkaSettings.of(settings);
    if (kafka.cluster().isPresent() && settings.flag(NotificationSetting.SENDER)) {
      requireProvider(settings);
    }
    return new NotificationSettings(
        kafka,
        RedisAddress.of(settings),
        settings.duration(StoreSetting.DB_WAIT, Duration.ZERO, Duration.ofDays(1)),
        settings.duration(NotificationSetting.SEND_TIMEOUT, MIN_SEND_TIMEOUT, MAX_SEND_TIMEOUT),
        settings.duration(NotificationSetting.RETENTION, MIN_RETENTION, MAX_RETENTION),
        settings.number(NotificationSetting.MAX_DEFERRED, 1, MAX_DEFERRED),
        settings.flag(NotificationSetting.SENDER),
        SenderRate.of(settings),
        ProviderSettings.of(settings),
        retries(settings),
        repetition(settings),
        AnalyticsSettings.of(settings));
  }

  /**
   * Throws unless a provider is chosen: a node that was started without one must not take messages
   * of production and write them to its log.
   */
  public static void requireProvider(Settings settings) {
    if (!settings.isGiven(NotificationSetting.PROVIDER)) {
      throw new InvalidSettingException(
          NotificationSetting.PROVIDER.key(),
          "is needed where weir.kafka.bootstrap-servers is set: webhook or smpp, or log to write"
              + " messages to the log in place of sending them; a node with"
              + " weir.notifications.sender=false needs none");
    }
  }

  private static RetryPolicy retries(Settings settings) {
    Duration first =
        settings.duration(NotificationSetting.RETRY_PAUSE, MIN_RETRY_PAUSE, MAX_RETRY_PAUSE);
    return new RetryPolicy(
        settings.duration(NotificationSetting.RETRY_FOR, Duration.ZERO, MAX_RETRY_FOR),
        settings.number(NotificationSetting.MAX_UNANSWERED, 1, MAX_UNANSWERED),
        first,
        settings.duration(NotificationSetting.RETRY_MAX_PAUSE, first, MAX_RETRY_PAUSE));
  }

  private static Repetition repetition(Settings settings) {
    return switch (settings.choice(
        NotificationSetting.DELIVERY, List.of("auto", "at-most-once", "at-least-once"))) {
      case "at-most-once" -> Repetition.AT_MOST_ONCE;
      case "at-least-once" -> Repetition.AT_LEAST_ONCE;
      default -> ProviderSettings.of(settings).repetition();
    };
  }

  /** Returns nothing of the settings, some of which contain passwords. */
  @Override
  public String toString() {
    return "NotificationSettings";
  }
}
