package dev.weir.torture.slots;

import dev.weir.torture.capability.Capability;
import dev.weir.torture.capability.Check;
import dev.weir.torture.capability.Load;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.capability.Round;
import dev.weir.torture.stage.Part;
import java.util.EnumSet;
import java.util.Set;

/** Slots of events. */
public final class Slots implements Capability {
  @Override
  public String name() {
    return "slots";
  }

  @Override
  public Set<Promise> promises() {
    return EnumSet.range(Promise.S1, Promise.S8);
  }

  @Override
  public Set<Part> needs() {
    return Set.of();
  }

  @Override
  public Load load(Round round) {
    return new SlotLoad(round);
  }

  @Override
  public Check check(Round round) {
    return new SlotCheck(round);
  }
}
