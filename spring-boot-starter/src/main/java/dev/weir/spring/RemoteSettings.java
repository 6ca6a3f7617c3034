package dev.weir.spring;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Optional;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Reads the settings of the remote Weir; errors name their property. */
final class RemoteSettings {
  private static final Duration MAX_TIMEOUT = Duration.ofHours(1);

  private RemoteSettings() {}

  static RemoteGate.Settings read(WeirProperties properties) {
    WeirProperties.Remote remote = properties.remote();
    if (!properties.rules().isEmpty()) {
      throw new InvalidConfigurationPropertyValueException(
          "weir.rules",
          properties.rules().size() + " rules",
          "With weir.store=remote the server has the rules.");
    }
    Duration timeout = remote.timeout();
    if (timeout.toMillis() < 1 || timeout.compareTo(MAX_TIMEOUT) > 0) {
      throw new InvalidConfigurationPropertyValueException(
          "weir.remote.timeout", timeout, "It must be from 1ms to 1h.");
    }
    for (String name : remote.headers()) {
      if (!isName(name)) {
        throw new InvalidConfigurationPropertyValueException(
            "weir.remote.headers", name, "It cannot be sent as a header field.");
      }
    }
    if (remote.key() != null && !RemoteGate.isSendable(remote.key())) {
      throw new WrongSecretException(
          "weir.remote.key", "It cannot be sent in a header field: it must be printable ASCII.");
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
      // Reported below without the value, which may contain a password.
    }
    throw new WrongSecretException(
        "weir.remote.url",
        "It must be an address such as http://weir:8080, without user and query.");
  }

  private static boolean hasUser(URI url) {
    return url.getRawUserInfo() != null;
  }

  private static boolean isName(String name) {
    try {
      HttpRequest.newBuilder().header(name, "x");
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
