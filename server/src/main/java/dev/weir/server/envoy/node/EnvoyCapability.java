package dev.weir.server.envoy.node;

import dev.weir.http.authentication.FailedLogins;
import dev.weir.http.authentication.HttpSettings;
import dev.weir.http.connections.RequestMemory;
import dev.weir.limits.LimitStore;
import dev.weir.node.capability.Capability;
import dev.weir.node.capability.OpeningNode;
import dev.weir.node.lifecycle.Drain;
import dev.weir.node.settings.AccessSettings;
import dev.weir.node.settings.PortProbe;
import dev.weir.node.settings.Setting;
import dev.weir.node.settings.Settings;
import dev.weir.node.stores.CountingStore;
import dev.weir.rules.RuleEvaluator;
import dev.weir.rules.RuleIndex;
import dev.weir.server.envoy.EnvoyServer;
import dev.weir.server.metrics.EnvoyMetrics;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Envoy's rate limit service, as a capability of the server. */
public final class EnvoyCapability implements Capability {
  /** The name of what it offers. */
  private static final String NAME = "envoy";

  @Override
  public int order() {
    return 40;
  }

  @Override
  public List<Setting> settings() {
    return List.of(EnvoySetting.values());
  }

  @Override
  public Configured configure(Settings settings) {
    return new OnNode(
        EnvoyPort.address(
            settings, AccessSettings.trustedProxies(settings), Drain.Times.of(settings)));
  }

  private record OnNode(Optional<EnvoyPort.Address> address) implements Configured {
    @Override
    public List<PortProbe.Listener> ports() {
      return address
          .map(
              own ->
                  new PortProbe.Listener(
                      EnvoySetting.PORT, own.socket().getHostString(), own.socket().getPort()))
          .stream()
          .toList();
    }

    @Override
    public Set<String> offers() {
      return address.isPresent() ? Set.of(NAME) : Set.of();
    }

    @Override
    public void open(OpeningNode node) {
      node.share(new EnvoyMetrics(node.metrics()));
    }

    @Override
    public void listen(OpeningNode node) {
      address.ifPresent(
          own -> {
            EnvoyPort port =
                node.open()
                    .add(
                        EnvoyPort.start(
                            own,
                            node.get(HttpSettings.class),
                            parts(node),
                            node.get(FailedLogins.class)));
            node.listens(NAME, port.address());
            node.drainBeside(port::drain);
          });
    }

    private static EnvoyServer.Parts parts(OpeningNode node) {
      return new EnvoyServer.Parts(
          node.get(RuleIndex.class),
          node.get(RuleEvaluator.class),
          node.get(LimitStore.class),
          node.get(CountingStore.class).isAwaited(),
          node.get(EnvoyMetrics.class),
          RequestMemory.ofThisProcess());
    }
  }
}
