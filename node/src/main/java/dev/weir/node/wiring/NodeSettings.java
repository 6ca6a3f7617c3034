package dev.weir.node.wiring;

import dev.weir.http.authentication.HttpSettings;
import dev.weir.node.capability.Capabilities;
import dev.weir.node.capability.Capability;
import dev.weir.node.settings.AccessSettings;
import dev.weir.node.settings.PortProbe;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Settings;
import dev.weir.node.stores.DatabaseSettings;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * All settings of a node as validated values. Reading them opens nothing, so an invalid setting is
 * reported before PostgreSQL starts.
 *
 * @param database empty if everything is kept in memory
 * @param capabilities in the order in which they are opened
 */
record NodeSettings(
    WebSettings web,
    HttpSettings http,
    Optional<DatabaseSettings> database,
    Optional<TracingSettings> tracing,
    List<Capability.Configured> capabilities) {

  /**
   * Where spans are sent.
   *
   * @param percent percentage of requests to sample, of those without a sampling decision
   */
  record TracingSettings(URI collector, int percent) {}

  static NodeSettings of(Settings settings) {
    WebSettings web = WebSettings.of(settings, AccessSettings.trustedProxies(settings));
    int percent = settings.number(ServerSetting.TRACING_PERCENT, 0, 100);
    return new NodeSettings(
        web,
        AccessSettings.http(settings, web.exposure()),
        DatabaseSettings.of(settings),
        settings
            .webAddress(ServerSetting.TRACING_ENDPOINT)
            .map(collector -> new TracingSettings(collector, percent)),
        Capabilities.all().stream().map(each -> each.configure(settings)).toList());
  }

  /** Returns the names of what its capabilities offer. */
  Set<String> offers() {
    return capabilities.stream()
        .flatMap(each -> each.offers().stream())
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Returns the ports to listen on, with the settings that name them. */
  List<PortProbe.Listener> listeners() {
    List<PortProbe.Listener> listeners = new ArrayList<>();
    listeners.add(new PortProbe.Listener(ServerSetting.PORT, web.host(), web.port()));
    capabilities.forEach(each -> listeners.addAll(each.ports()));
    return listeners;
  }
}
