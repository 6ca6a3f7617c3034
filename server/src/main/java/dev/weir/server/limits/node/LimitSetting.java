package dev.weir.server.limits.node;

import dev.weir.node.settings.Setting;

/** The settings of limits and leases. */
public enum LimitSetting implements Setting {
  STORE(
      "weir.limits.store",
      "memory",
      "Where limits are counted: memory (each node on its own), postgresql or oracle (the database"
          + " of weir.db.url), redis, or surrealdb (token buckets and leases only)."),
  FALLBACK(
      "weir.limits.fallback",
      "",
      "Store that counts for rules with onStoreFailure fallback while Redis is unavailable:"
          + " postgresql or oracle (the database of weir.db.url), or none. Empty means that"
          + " database."),
  NODES(
      "weir.limits.nodes",
      "1",
      "Number of nodes that share a limit equally while the store is unavailable, for rules"
          + " with onStoreFailure local."),
  MAX_KEYS(
      "weir.limits.max-keys",
      "",
      "Max keys counted in memory, at least 1000. A key takes up to 64 bytes; empty, and the most,"
          + " is what fits in a quarter of the heap. A rule may have as many keys as are"
          + " free."),
  MAX_LEASES(
      "weir.limits.max-leases",
      "",
      "Max leases and places of queues held in memory, at least 1000. Each takes up to 500 bytes;"
          + " empty, and the most, is what fits in an eighth of the heap.");

  @SuppressWarnings("ImmutableEnumChecker") // a record of texts
  private final Declaration declaration;

  LimitSetting(String key, String defaultValue, String description) {
    this.declaration = new Declaration(key, defaultValue, description);
  }

  @Override
  public Declaration declaration() {
    return declaration;
  }
}
