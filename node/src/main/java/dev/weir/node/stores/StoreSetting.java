package dev.weir.node.stores;

import dev.weir.node.settings.Setting;

/** The settings of the database and of other stores, which several capabilities use. */
public enum StoreSetting implements Setting {
  DATA(
      "weir.data",
      "",
      "Folder of the embedded PostgreSQL, the embedded Kafka and the calls of the simulated payment"
          + " API. Empty means ~/.local/share/weir."),
  DB_URL(
      "weir.db.url",
      "",
      "URL of a PostgreSQL server, jdbc:postgresql://host:port/database, or of an Oracle server,"
          + " jdbc:oracle:thin:@//host:port/service. Empty starts the embedded PostgreSQL."),
  DB_USER("weir.db.user", "", "User name for weir.db.url. Empty leaves it to the URL."),
  DB_PASSWORD("weir.db.password", "", "Password of weir.db.user."),
  DB_POOL_MIN(
      "weir.db.pool.min", "5", "Min idle connections in the pool. 0 opens them only when needed."),
  DB_POOL_MAX("weir.db.pool.max", "30", "Max connections in the pool, at least 3."),
  DB_WAIT(
      "weir.db.wait",
      "PT3S",
      "Max time that a request waits for a connection before it is answered with 503, and that a"
          + " decision about limits waits for its turn and for its answer. A statement about slots"
          + " waits 10 s longer for its answer, because it may wait for a lock. ISO-8601"
          + " duration."),
  DB_MIGRATE("weir.db.migrate", "true", "Whether the tables are created and updated at startup."),
  SLOTS_STORE(
      "weir.slots.store",
      "",
      "Where slots, rules and routes are stored: postgresql, oracle or memory. In memory they are"
          + " lost at a restart. Empty means the database of weir.db.url, or PostgreSQL."),
  REDIS_URI(
      "weir.redis.uri",
      "",
      "Address of Redis: redis://host:port, redis-sentinel://… or redis-cluster://…. Required"
          + " if weir.limits.store is redis. If it is set, messages over the limit of their user"
          + " are refused without PostgreSQL."),
  REDIS_TIMEOUT(
      "weir.redis.timeout",
      "PT1S",
      "Max time that a decision waits for the answer of Redis. ISO-8601 duration, PT0.1S to"
          + " PT1M."),
  REDIS_TRUST(
      "weir.redis.trust",
      "",
      "PEM file of the certificates to trust for Redis. Empty means those of the Java"
          + " runtime."),
  SURREALDB_URL(
      "weir.surrealdb.url",
      "",
      "Address of SurrealDB, http://host:8000 or https://…. Required if weir.limits.store is"
          + " surrealdb."),
  SURREALDB_NAMESPACE(
      "weir.surrealdb.namespace", "weir", "Namespace of the database in SurrealDB."),
  SURREALDB_DATABASE("weir.surrealdb.database", "weir", "Database in SurrealDB."),
  SURREALDB_USER(
      "weir.surrealdb.user",
      "",
      "User of SurrealDB, who must be allowed to define tables. Empty for a server without"
          + " authentication."),
  SURREALDB_PASSWORD("weir.surrealdb.password", "", "Password of weir.surrealdb.user."),
  SURREALDB_USER_LEVEL(
      "weir.surrealdb.user-level",
      "database",
      "Where weir.surrealdb.user is defined: root, namespace or database."),
  SURREALDB_TIMEOUT(
      "weir.surrealdb.timeout",
      "PT2S",
      "Max time that a decision waits for its turn, and for the answer of SurrealDB. ISO-8601"
          + " duration."),
  SURREALDB_ACCEPT_ANOMALIES(
      "weir.surrealdb.accept-anomalies",
      "false",
      "Whether to use a SurrealDB that may hand out the same token twice, as some versions do in"
          + " memory and on SurrealKV.");

  @SuppressWarnings("ImmutableEnumChecker") // a record of texts
  private final Declaration declaration;

  StoreSetting(String key, String defaultValue, String description) {
    this.declaration = new Declaration(key, defaultValue, description);
  }

  @Override
  public Declaration declaration() {
    return declaration;
  }
}
