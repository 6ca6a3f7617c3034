package dev.weir.torture.rules;

import dev.weir.torture.capability.Capability;
import dev.weir.torture.capability.Check;
import dev.weir.torture.capability.Load;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.capability.Round;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.stage.Part;
import java.util.EnumSet;
import java.util.Set;

/** Rules that have queues, change, come and go, and cover requests of proxies. */
public final class Rules implements Capability {
  @Override
  public String name() {
    return "rules";
  }

  @Override
  public Set<Promise> promises() {
    return EnumSet.range(Promise.R1, Promise.R5);
  }

  /** Requests that must be 400. */
  @Override
  public boolean isExceptional(Exchange exchange) {
    return exchange.kind().equals(AuthorizeCaller.AMBIGUOUS) && exchange.status() == 400;
  }

  @Override
  public Set<Part> needs() {
    return Set.of(Part.LIMITS_STORE);
  }

  @Override
  public Load load(Round round) {
    return new RuleLoad(round);
  }

  @Override
  public Check check(Round round) {
    return new RuleCheck(round);
  }
}
