package dev.weir.server.slots.node;

import dev.weir.node.settings.Setting;

/** The settings of slots. */
public enum SlotSetting implements Setting {
  ORACLE_SINGLE_ROUND_TRIP(
      "weir.oracle.single-round-trip",
      "false",
      "Whether Oracle gets small batches of slots as one PL/SQL block, in one round trip in place"
          + " of four. Not proven on an Oracle server."),
  CREATE_DEFAULT(
      "weir.slots.create-default",
      "true",
      "Whether that configuration is created at startup if it is absent, with 100 slots per 4"
          + " s."),
  CACHE_TTL(
      "weir.slots.cache-ttl",
      "PT5S",
      "How long a node caches a configuration. ISO-8601 duration; PT0S disables caching."),
  LANES("weir.slots.lanes", "1", "Max concurrent slot transactions of this node, 1 to 64."),
  MAX_BATCH("weir.slots.max-batch", "4096", "Max requests in one slot transaction, 1 to 50000."),
  UPKEEP_EVERY(
      "weir.slots.upkeep-every",
      "PT30S",
      "Interval between searches for leaked and expired slots. ISO-8601 duration."),
  LEAK_GRACE(
      "weir.slots.leak-grace",
      "PT1M",
      "How long after its scheduled time or its assignment, whichever is later, a slot counts"
          + " as leaked. ISO-8601 duration."),
  RECLAIM("weir.slots.reclaim", "false", "Whether leaked slots are taken back."),
  RETENTION(
      "weir.slots.retention",
      "",
      "How long slots are kept after their scheduled time or their assignment, whichever is"
          + " later, such as P90D. At least the length of a window; empty keeps them forever."),
  LOG_ASSIGNED(
      "weir.slots.log-assigned",
      "false",
      "Whether each slot that a caller gets is logged at INFO, not at DEBUG.");

  @SuppressWarnings("ImmutableEnumChecker") // a record of texts
  private final Declaration declaration;

  SlotSetting(String key, String defaultValue, String description) {
    this.declaration = new Declaration(key, defaultValue, description);
  }

  @Override
  public Declaration declaration() {
    return declaration;
  }
}
