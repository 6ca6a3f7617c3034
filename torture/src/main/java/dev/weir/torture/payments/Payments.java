package dev.weir.torture.payments;

import dev.weir.torture.capability.Capability;
import dev.weir.torture.capability.Check;
import dev.weir.torture.capability.Load;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.capability.Round;
import dev.weir.torture.stage.Part;
import java.util.EnumSet;
import java.util.Set;

/** Feeds of payments. */
public final class Payments implements Capability {
  @Override
  public String name() {
    return "payments";
  }

  @Override
  public Set<Promise> promises() {
    return EnumSet.range(Promise.P1, Promise.P7);
  }

  @Override
  public Set<Part> needs() {
    return Set.of(Part.LIMITS_STORE, Part.PAYMENT_API);
  }

  @Override
  public Load load(Round round) {
    return new PaymentLoad(round);
  }

  @Override
  public Check check(Round round) {
    return new PaymentCheck(round);
  }
}
