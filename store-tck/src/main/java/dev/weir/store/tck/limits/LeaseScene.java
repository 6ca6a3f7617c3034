package dev.weir.store.tck.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.Lease;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.LeaseStore;
import java.time.InstantSource;
import java.util.function.Function;
import java.util.function.Supplier;

/** Resources on a lease store, and short methods for what tests do with them. */
final class LeaseScene extends TwoNodeScene<LeaseStore> {
  LeaseScene(Function<InstantSource, Supplier<LeaseStore>> storeBy) {
    super(storeBy);
  }

  String resource(String name) {
    return named(name);
  }

  static Lease lease(LeaseDecision decision) {
    assertThat(decision).isInstanceOf(LeaseDecision.Held.class);
    return ((LeaseDecision.Held) decision).lease();
  }
}
