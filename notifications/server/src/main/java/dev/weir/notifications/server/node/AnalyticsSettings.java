package dev.weir.notifications.server.node;

import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.settings.Setting;
import dev.weir.node.settings.Settings;
import dev.weir.notifications.analytics.IndexerSettings;
import dev.weir.notifications.analytics.OpenSearchSettings;
import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Period;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * The settings of events and analytics.
 *
 * @param hasEvents whether attempts to send are published as events
 * @param search where events are indexed; empty if they are not
 */
public record AnalyticsSettings(
    boolean hasEvents, Optional<OpenSearchSettings> search, IndexerSettings indexer) {
  private static final Duration MAX_RETENTION = Duration.ofDays(3_650);

  public static AnalyticsSettings of(Settings settings) {
    Optional<OpenSearchSettings> search =
        settings.webAddress(NotificationSetting.OPENSEARCH_URL).map(url -> search(settings, url));
    if (search.isEmpty()) {
      refuseWithoutUrl(settings);
    }
    Duration retention =
        settings.duration(
            NotificationSetting.OPENSEARCH_RETENTION, Duration.ofDays(1), MAX_RETENTION);
    if (!retention.equals(retention.truncatedTo(ChronoUnit.DAYS))) {
      throw new InvalidSettingException(
          NotificationSetting.OPENSEARCH_RETENTION.key(), "must be whole days, not " + retention);
    }
    return new AnalyticsSettings(
        settings.flag(NotificationSetting.EVENTS) || search.isPresent(),
        search,
        IndexerSettings.DEFAULT.withRetention(Period.ofDays((int) retention.toDays())));
  }

  private static void refuseWithoutUrl(Settings settings) {
    for (Setting setting :
        List.of(
            NotificationSetting.OPENSEARCH_USER,
            NotificationSetting.OPENSEARCH_PASSWORD,
            NotificationSetting.OPENSEARCH_API_KEY,
            NotificationSetting.OPENSEARCH_TRUST)) {
      if (settings.optional(setting).isPresent()) {
        throw new InvalidSettingException(
            setting.key(), "has an effect only where weir.opensearch.url is set");
      }
    }
  }

  private static OpenSearchSettings search(Settings settings, URI url) {
    OpenSearchSettings search;
    try {
      search = OpenSearchSettings.of(url);
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException(
          NotificationSetting.OPENSEARCH_URL.key(),
          "must have neither a user nor a query; use weir.opensearch.user");
    }
    return trusting(settings, authorized(settings, search));
  }

  private static OpenSearchSettings authorized(Settings settings, OpenSearchSettings search) {
    Optional<String> user = settings.optional(NotificationSetting.OPENSEARCH_USER);
    Optional<String> password = settings.optional(NotificationSetting.OPENSEARCH_PASSWORD);
    Optional<String> key = settings.optional(NotificationSetting.OPENSEARCH_API_KEY);
    if (user.isPresent() != password.isPresent()) {
      throw new InvalidSettingException(
          NotificationSetting.OPENSEARCH_PASSWORD.key(),
          "and weir.opensearch.user belong together");
    }
    if (user.isPresent() && key.isPresent()) {
      throw new InvalidSettingException(
          NotificationSetting.OPENSEARCH_API_KEY.key(),
          "cannot be set together with weir.opensearch.user");
    }
    if (key.filter(text -> !text.matches("[!-~]+")).isPresent()) {
      throw new InvalidSettingException(
          NotificationSetting.OPENSEARCH_API_KEY.key(), "must be ASCII characters without spaces");
    }
    return user.map(name -> search.withPassword(name, password.orElse("")))
        .or(() -> key.map(search::withApiKey))
        .orElse(search);
  }

  private static OpenSearchSettings trusting(Settings settings, OpenSearchSettings search) {
    try {
      return settings
          .optional(NotificationSetting.OPENSEARCH_TRUST)
          .map(file -> search.withTrust(Path.of(file)))
          .orElse(search);
    } catch (InvalidPathException e) {
      throw new InvalidSettingException(
          NotificationSetting.OPENSEARCH_TRUST.key(), "cannot be the name of a file");
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException(
          NotificationSetting.OPENSEARCH_TRUST.key(), "must be a PEM file of certificates");
    }
  }
}
