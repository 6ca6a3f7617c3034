package dev.weir.node.stores;

import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.settings.Setting;
import dev.weir.node.settings.Settings;
import dev.weir.store.jdbc.internal.Dialect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The settings of a node's database.
 *
 * @param server the external PostgreSQL or Oracle; if empty, the node runs the embedded PostgreSQL
 * @param dataFolder where the embedded PostgreSQL stores its files
 * @param migrates whether the node creates and updates the tables
 */
public record DatabaseSettings(
    Optional<DatabaseAddress> server, Path dataFolder, Pool pool, boolean migrates) {
  private static final Duration MIN_MAX_WAIT = Duration.ofMillis(250);
  private static final Duration MAX_MAX_WAIT = Duration.ofMinutes(10);

  /** Migrating the tables takes three connections at the same time. */
  private static final int MIN_CONNECTIONS = 3;

  private static final int MAX_CONNECTIONS = 1_000;

  /** The size of the connection pool, and how long a caller waits for a connection. */
  public record Pool(int min, int max, Duration maxWait) {
    private static Pool of(Settings settings) {
      int max = settings.number(StoreSetting.DB_POOL_MAX, MIN_CONNECTIONS, MAX_CONNECTIONS);
      int min = Math.min(max, settings.number(StoreSetting.DB_POOL_MIN, 0, MAX_CONNECTIONS));
      return new Pool(
          min, max, settings.duration(StoreSetting.DB_WAIT, MIN_MAX_WAIT, MAX_MAX_WAIT));
    }
  }

  /** Where a node keeps what is not a count of limits. */
  public enum Kind {
    POSTGRESQL,
    ORACLE,
    MEMORY
  }

  public static Kind kind(Settings settings) {
    boolean isOracle = DatabaseAddress.isOracle(settings.text(StoreSetting.DB_URL));
    if (settings.optional(StoreSetting.SLOTS_STORE).isEmpty()) {
      return isOracle ? Kind.ORACLE : Kind.POSTGRESQL;
    }
    return switch (settings.choice(
        StoreSetting.SLOTS_STORE, List.of("postgresql", "oracle", "memory"))) {
      case "memory" -> Kind.MEMORY;
      case "oracle" -> {
        if (!isOracle) {
          throw new InvalidSettingException(
              StoreSetting.SLOTS_STORE.key(),
              "can be oracle only where weir.db.url is jdbc:oracle:…");
        }
        yield Kind.ORACLE;
      }
      default -> {
        if (isOracle) {
          throw new InvalidSettingException(
              StoreSetting.SLOTS_STORE.key(),
              "cannot be postgresql where weir.db.url is of Oracle");
        }
        yield Kind.POSTGRESQL;
      }
    };
  }

  public Dialect dialect() {
    return server.map(DatabaseAddress::dialect).orElse(Dialect.POSTGRESQL);
  }

  /**
   * Returns the settings of a database that is running: a server, or the embedded one of a node.
   */
  public static DatabaseSettings running(Settings settings) {
    return new DatabaseSettings(
        Optional.of(DatabaseAddress.of(settings)),
        DatabaseAddress.dataFolder(settings),
        Pool.of(settings),
        false);
  }

  /** Returns the settings; empty if everything is kept in memory. */
  public static Optional<DatabaseSettings> of(Settings settings) {
    if (kind(settings) == Kind.MEMORY) {
      return Optional.empty();
    }
    boolean isServer = settings.optional(StoreSetting.DB_URL).isPresent();
    return Optional.of(
        new DatabaseSettings(
            isServer ? Optional.of(DatabaseAddress.ofServer(settings)) : Optional.empty(),
            DatabaseAddress.dataFolder(settings),
            Pool.of(settings),
            settings.flag(StoreSetting.DB_MIGRATE)));
  }

  /**
   * Refuses the settings of a part that needs PostgreSQL where there is none.
   *
   * @param part the part, such as {@code payments}
   * @param its the settings that can only be meant for it
   */
  public static void requirePostgresql(Settings settings, String part, List<Setting> its) {
    String where =
        switch (kind(settings)) {
          case POSTGRESQL -> "";
          case ORACLE -> "weir.db.url is of Oracle";
          case MEMORY -> "weir.slots.store is memory";
        };
    for (Setting setting : where.isEmpty() ? List.<Setting>of() : its) {
      if (settings.optional(setting).isPresent()) {
        throw new InvalidSettingException(
            setting.key(), "has no effect where %s: %s need PostgreSQL".formatted(where, part));
      }
    }
  }
}
