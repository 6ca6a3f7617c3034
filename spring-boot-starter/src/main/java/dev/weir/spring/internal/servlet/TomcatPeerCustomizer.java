package dev.weir.spring.internal.servlet;

import dev.weir.spring.internal.gate.OriginalRequests;
import java.util.ArrayList;
import java.util.List;
import org.apache.catalina.Valve;
import org.springframework.boot.tomcat.TomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.Ordered;

/** Puts a {@link TomcatPeerValve} in front of all other valves of an embedded Tomcat. */
public final class TomcatPeerCustomizer
    implements WebServerFactoryCustomizer<TomcatWebServerFactory>, OriginalRequests, Ordered {
  /** Returns the last position, when the other valves are known. */
  @Override
  public int getOrder() {
    return LOWEST_PRECEDENCE;
  }

  @Override
  public void customize(TomcatWebServerFactory factory) {
    List<Valve> valves = new ArrayList<>();
    valves.add(new TomcatPeerValve());
    valves.addAll(factory.getEngineValves());
    factory.setEngineValves(valves);
  }

  @Override
  public boolean areKnownOn(WebServerFactory server) {
    return server instanceof TomcatWebServerFactory;
  }
}
