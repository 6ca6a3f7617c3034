package dev.weir.node.stores;

import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.settings.Settings;
import dev.weir.store.surrealdb.SurrealDbSettings;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Reads the settings of SurrealDB. Messages repeat no password. */
public final class SurrealDbAddress {
  private SurrealDbAddress() {}

  public static SurrealDbSettings of(Settings settings) {
    URI url =
        settings
            .webAddress(StoreSetting.SURREALDB_URL)
            .orElseThrow(
                () ->
                    new InvalidSettingException(
                        StoreSetting.SURREALDB_URL.key(),
                        "is needed where weir.limits.store is surrealdb"));
    Duration timeout =
        settings.duration(
            StoreSetting.SURREALDB_TIMEOUT, Duration.ofMillis(100), Duration.ofMinutes(1));
    try {
      return new SurrealDbSettings(
          url,
          settings.text(StoreSetting.SURREALDB_NAMESPACE),
          settings.text(StoreSetting.SURREALDB_DATABASE),
          user(settings),
          timeout,
          SurrealDbSettings.DEFAULT_MAX_WAITING,
          settings.flag(StoreSetting.SURREALDB_ACCEPT_ANOMALIES));
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException(
          StoreSetting.SURREALDB_URL.key(),
          "or namespace or database cannot be used: " + e.getMessage());
    }
  }

  private static Optional<SurrealDbSettings.User> user(Settings settings) {
    String level =
        settings.choice(
            StoreSetting.SURREALDB_USER_LEVEL, List.of("root", "namespace", "database"));
    return settings
        .optional(StoreSetting.SURREALDB_USER)
        .map(
            name ->
                new SurrealDbSettings.User(
                    name,
                    settings.text(StoreSetting.SURREALDB_PASSWORD),
                    switch (level) {
                      case "root" -> SurrealDbSettings.Level.ROOT;
                      case "namespace" -> SurrealDbSettings.Level.NAMESPACE;
                      default -> SurrealDbSettings.Level.DATABASE;
                    }));
  }
}
