package dev.weir.spring.autoconfigure;

import dev.weir.spring.internal.gate.OriginalRequests;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.web.server.ConfigurableWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.env.Environment;

/**
 * Rejects a web server that takes the client's address from a header field, if the original request
 * cannot be read: clients could forge the address by which they are counted.
 */
final class ForwardedHeadersCheck
    implements WebServerFactoryCustomizer<ConfigurableWebServerFactory> {
  private static final String STRATEGY = "server.forward-headers-strategy";
  private static final String NATIVE = "native";
  private static final String FRAMEWORK = "framework";

  private final Environment environment;
  private final List<OriginalRequests> known;
  private final boolean isReactive;

  ForwardedHeadersCheck(Environment environment, List<OriginalRequests> known, boolean isReactive) {
    this.environment = environment;
    this.known = List.copyOf(known);
    this.isReactive = isReactive;
  }

  @Override
  public void customize(ConfigurableWebServerFactory server) {
    if (known.stream().anyMatch(requests -> requests.areKnownOn(server))) {
      return;
    }
    String strategy = environment.getProperty(STRATEGY, "").toLowerCase(Locale.ROOT);
    CloudPlatform platform = strategy.isEmpty() ? activePlatform() : null;
    // Spring's own filter of servlets wraps the request, which can be unwrapped.
    if (platform != null || strategy.equals(NATIVE) || (isReactive && strategy.equals(FRAMEWORK))) {
      throw new InvalidConfigurationPropertyValueException(
          STRATEGY,
          platform == null ? strategy : "(none, which is native on " + platform + ")",
          "With it, clients can forge the address that is counted on this web server. Set it to "
              + (isReactive ? "none" : FRAMEWORK)
              + ", and set weir.trusted-proxies.");
    }
  }

  /** Returns the platform on which Spring Boot's default is the strategy native. */
  private @Nullable CloudPlatform activePlatform() {
    CloudPlatform platform = CloudPlatform.getActive(environment);
    return platform != null && platform.isUsingForwardHeaders() ? platform : null;
  }
}
