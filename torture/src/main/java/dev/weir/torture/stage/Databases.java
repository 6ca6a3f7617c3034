package dev.weir.torture.stage;

import dev.weir.server.faults.Database;

/** The PostgreSQL of a stage, and what else there is of it. */
sealed interface Databases {
  /** The one that nodes use. */
  Database primary();

  /** Nothing else. */
  record Single(Database primary) implements Databases {}

  /** One with a synchronous standby. */
  record WithStandby(DatabasePair pair) implements Databases {
    @Override
    public Database primary() {
      return pair.primary();
    }
  }

  /** One on a disk that can be full. */
  record OnSmallDisk(Database primary, SmallDisk disk) implements Databases {}
}
