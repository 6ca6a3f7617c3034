package dev.weir.store.surrealdb;

import dev.weir.store.tck.internal.SurrealServer;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** Two connections to one SurrealDB, as two nodes have them. */
record Clients(SurrealDb one, SurrealDb other) {
  /** Timeout of shared servers, long enough for busy machines; timeouts are tested elsewhere. */
  static final Duration MAX_WAIT = Duration.ofMinutes(1);

  private static final SurrealDbSettings.User USER =
      new SurrealDbSettings.User(
          SurrealServer.USER, SurrealServer.PASSWORD, SurrealDbSettings.Level.DATABASE);

  static Clients of(SurrealDbSettings settings) {
    return new Clients(SurrealDb.open(settings), SurrealDb.open(settings));
  }

  /**
   * Returns the settings of the bridge at a port, which may be that of a relay. They leave out the
   * check of the storage, which would take longer than most claims; {@link RaceTest} runs it.
   */
  static SurrealDbSettings settings(int port) {
    return SurrealDbSettings.of(
            "http://127.0.0.1:" + port, SurrealServer.NAMESPACE, SurrealServer.DATABASE)
        .withUser(USER)
        .withTimeout(MAX_WAIT)
        .withAnomalies(true);
  }

  static Optional<String> serverUri() {
    return Optional.ofNullable(System.getenv("WEIR_SURREALDB_URL")).filter(uri -> !uri.isBlank());
  }

  /** Returns two clients of the server that the environment names, by the names of the settings. */
  static Clients ofServer() {
    SurrealDbSettings settings =
        SurrealDbSettings.of(
                serverUri().orElseThrow(),
                variable("NAMESPACE", "weir_test"),
                variable("DATABASE", "weir_test"))
            .withTimeout(MAX_WAIT);
    String user = variable("USER", "");
    return of(
        user.isEmpty()
            ? settings
            : settings.withUser(
                new SurrealDbSettings.User(
                    user,
                    variable("PASSWORD", ""),
                    SurrealDbSettings.Level.valueOf(
                        variable("USER_LEVEL", "root").toUpperCase(Locale.ROOT)))));
  }

  private static String variable(String name, String absent) {
    return Optional.ofNullable(System.getenv("WEIR_SURREALDB_" + name)).orElse(absent);
  }

  /** Two clients of one SurrealDB on RocksDB that tests share; it ends with the process. */
  static Clients onRocksDb() {
    return OnRocksDb.CLIENTS;
  }

  private static final class OnRocksDb {
    static final Clients CLIENTS =
        of(settings(SurrealServer.start(SurrealServer.Storage.ROCKSDB).port()));
  }
}
