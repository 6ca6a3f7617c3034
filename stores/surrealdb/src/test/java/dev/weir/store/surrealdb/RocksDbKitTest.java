package dev.weir.store.surrealdb;

/** The kits on SurrealDB with RocksDB. */
@RequiresSurrealDb
final class RocksDbKitTest implements SurrealDbKit {
  @Override
  public Clients clients() {
    return Clients.onRocksDb();
  }
}
