package dev.weir.torture.limits;

import dev.weir.torture.capability.Capability;
import dev.weir.torture.capability.Check;
import dev.weir.torture.capability.Load;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.capability.Round;
import dev.weir.torture.stage.Part;
import java.util.EnumSet;
import java.util.Set;

/** Limits and leases. */
public final class Limits implements Capability {
  @Override
  public String name() {
    return "limits";
  }

  @Override
  public Set<Promise> promises() {
    return EnumSet.range(Promise.L1, Promise.L9);
  }

  @Override
  public Set<Part> needs() {
    return Set.of(Part.LIMITS_STORE);
  }

  @Override
  public Load load(Round round) {
    return new LimitLoad(round);
  }

  @Override
  public Check check(Round round) {
    return new LimitCheck(round);
  }
}
