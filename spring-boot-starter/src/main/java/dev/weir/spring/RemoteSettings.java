package dev.weir.spring;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Optional;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Where the Weir is that decides, read so that mistakes name their property. */
final class RemoteSettings {
  private static final Duration LONGEST_TIMEOUT = Duration.ofHours(1);
  private static final String HIDDEN = "(not shown)";

  private RemoteSettings() {}

  static RemoteGate.Settings read(WeirProperties properties) {
    WeirProperties.Remote remote = properties.remote();
    if (!properties.rules().isEmpty()) {
      throw new InvalidConfigurationPropertyValueException(
          "weir.rules", HIDDEN, "With weir.store=remote the server has the rules.");
    }
    Duration timeout = remote.timeout();
    if (timeout.toMillis() < 1 || timeout.compareTo(LONGEST_TIMEOUT) > 0) {
      throw new InvalidConfigurationPropertyValueException(
          "weir.remote.timeout", timeout, "It must be from 1ms to 1h.");
    }
    remote.headers().forEach(name -> check("weir.remote.headers", name, name, "x"));
    if (remote.key() != null) {
      check("weir.remote.key", HIDDEN, "Authorization", remote.key());
    }
    return new RemoteGate.Settings(
        url(remote),
        Optional.ofNullable(remote.key()),
        timeout,
        remote.onFailure(),
        remote.headers());
  }

  private static URI url(WeirProperties.Remote remote) {
    String text = remote.url() == null ? "" : remote.url();
    try {
      URI url = new URI(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
      boolean isWeb = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
      if (isWeb && url.getHost() != null && url.getRawQuery() == null && !hasUser(url)) {
        return url;
      }
    } catch (URISyntaxException e) {
      // Told of below, without what may be a password in it.
    }
    throw new InvalidConfigurationPropertyValueException(
        "weir.remote.url",
        HIDDEN,
        "It must be an address such as http://weir:8080, without user and query.");
  }

  private static boolean hasUser(URI url) {
    return url.getRawUserInfo() != null;
  }

  /** What the client would not send. */
  private static void check(String property, String shown, String name, String value) {
    try {
      HttpRequest.newBuilder().header(name, value);
    } catch (IllegalArgumentException e) {
      throw new InvalidConfigurationPropertyValueException(
          property, shown, "It cannot be sent as a header field.");
    }
  }
}
