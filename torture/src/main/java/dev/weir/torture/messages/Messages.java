package dev.weir.torture.messages;

import dev.weir.torture.capability.Capability;
import dev.weir.torture.capability.Check;
import dev.weir.torture.capability.Load;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.capability.Round;
import dev.weir.torture.stage.Part;
import java.util.EnumSet;
import java.util.Set;

/** Messages of users. */
public final class Messages implements Capability {
  @Override
  public String name() {
    return "messages";
  }

  @Override
  public Set<Promise> promises() {
    return EnumSet.range(Promise.M1, Promise.M8);
  }

  @Override
  public Set<Part> needs() {
    return Set.of(Part.LIMITS_STORE, Part.MESSAGES);
  }

  @Override
  public Load load(Round round) {
    return new MessageLoad(round);
  }

  @Override
  public Check check(Round round) {
    return new MessageCheck(round);
  }
}
