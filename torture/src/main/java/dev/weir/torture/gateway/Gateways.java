package dev.weir.torture.gateway;

import dev.weir.torture.capability.Capability;
import dev.weir.torture.capability.Check;
import dev.weir.torture.capability.Load;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.capability.Round;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.stage.Part;
import dev.weir.torture.stage.Upstream;
import java.util.EnumSet;
import java.util.Set;

/** The gateways of all nodes. */
public final class Gateways implements Capability {
  @Override
  public String name() {
    return "gateway";
  }

  @Override
  public Set<Promise> promises() {
    return EnumSet.range(Promise.G1, Promise.G5);
  }

  /** Answers of the upstream and of the gateway, which are no part of the API. */
  @Override
  public boolean isExceptional(Exchange exchange) {
    return exchange.kind().equals(GatewayLoad.FORWARD) || exchange.kind().equals(Upstream.ARRIVAL);
  }

  @Override
  public Set<Part> needs() {
    return Set.of(Part.LIMITS_STORE, Part.UPSTREAM);
  }

  @Override
  public Load load(Round round) {
    return new GatewayLoad(round);
  }

  @Override
  public Check check(Round round) {
    return new GatewayCheck(round);
  }
}
