package dev.weir.server.wiring;

import dev.weir.store.surrealdb.SurrealDbSettings;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Reads the settings of SurrealDB. Messages repeat no password. */
final class SurrealDbAddress {
  private SurrealDbAddress() {}

  static SurrealDbSettings of(Settings settings) {
    URI url =
        settings
            .webAddress(Setting.SURREALDB_URL)
            .orElseThrow(
                () ->
                    new InvalidSettingException(
                        Setting.SURREALDB_URL.key(),
                        "is needed where weir.limits.store is surrealdb"));
    Duration timeout =
        settings.duration(Setting.SURREALDB_TIMEOUT, Duration.ofMillis(100), Duration.ofMinutes(1));
    try {
      return new SurrealDbSettings(
          url,
          settings.text(Setting.SURREALDB_NAMESPACE),
          settings.text(Setting.SURREALDB_DATABASE),
          user(settings),
          timeout,
          SurrealDbSettings.DEFAULT_MAX_WAITING,
          settings.flag(Setting.SURREALDB_ACCEPT_ANOMALIES));
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException(
          Setting.SURREALDB_URL.key(),
          "or namespace or database cannot be used: " + e.getMessage());
    }
  }

  private static Optional<SurrealDbSettings.User> user(Settings settings) {
    String level =
        settings.choice(Setting.SURREALDB_USER_LEVEL, List.of("root", "namespace", "database"));
    return settings
        .optional(Setting.SURREALDB_USER)
        .map(
            name ->
                new SurrealDbSettings.User(
                    name,
                    settings.text(Setting.SURREALDB_PASSWORD),
                    switch (level) {
                      case "root" -> SurrealDbSettings.Level.ROOT;
                      case "namespace" -> SurrealDbSettings.Level.NAMESPACE;
                      default -> SurrealDbSettings.Level.DATABASE;
                    }));
  }
}
