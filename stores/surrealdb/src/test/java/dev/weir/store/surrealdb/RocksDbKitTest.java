package dev.weir.store.surrealdb;

import dev.weir.store.tck.limits.LeaseTrace;
import dev.weir.store.tck.limits.LeaseTraces;
import dev.weir.store.tck.limits.LimitTrace;
import dev.weir.store.tck.limits.LimitTraces;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/**
 * The kits on SurrealDB with RocksDB. It plays fewer traces than the kits ask for, because each
 * takes about a second: as many as {@code jqwik.tries.default}.
 */
@RequiresSurrealDb
final class RocksDbKitTest implements SurrealDbKit {
  @Override
  public Clients clients() {
    return Clients.onRocksDb();
  }

  @Override
  @Property(seed = "20260602", edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.BOUNDED)
  public void decidesAsCoreDoes(@ForAll(supplier = LimitTraces.class) LimitTrace trace) {
    SurrealDbKit.super.decidesAsCoreDoes(trace);
  }

  @Override
  @Property(seed = "20260603", edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.BOUNDED)
  public void leasesAsCoreDoes(@ForAll(supplier = LeaseTraces.class) LeaseTrace trace) {
    SurrealDbKit.super.leasesAsCoreDoes(trace);
  }
}
