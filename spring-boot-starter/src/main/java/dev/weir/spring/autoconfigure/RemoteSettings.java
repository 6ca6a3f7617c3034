package dev.weir.spring.autoconfigure;

import dev.weir.spring.WeirProperties;
import dev.weir.spring.internal.gate.RemoteGate;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Reads the settings of the remote Weir; errors name their property. */
final class RemoteSettings {
  private static final Duration MAX_TIMEOUT = Duration.ofHours(1);

  /** Fields that describe the request to the server, in lower case. */
  private static final Set<String> OWN_FIELDS =
      Set.of(
          "forwarded",
          "x-forwarded-for",
          "x-forwarded-host",
          "x-forwarded-method",
          "x-forwarded-port",
          "x-forwarded-proto",
          "x-forwarded-uri",
          "x-original-method",
          "x-original-uri",
          "x-real-ip");

  private RemoteSettings() {}

  static RemoteGate.Settings read(WeirProperties properties) {
    WeirProperties.Remote remote = properties.remote();
    if (!properties.rules().isEmpty()) {
      throw new InvalidConfigurationPropertyValueException(
          "weir.rules",
          properties.rules().size() + " rules",
          "With weir.store=remote the server has the rules.");
    }
    for (String name : remote.headers()) {
      if (!isName(name)) {
        throw new InvalidConfigurationPropertyValueException(
            "weir.remote.headers", name, "It cannot be sent as a header field.");
      }
      String field = name.toLowerCase(Locale.ROOT);
      if (OWN_FIELDS.contains(field)) {
        throw new InvalidConfigurationPropertyValueException(
            "weir.remote.headers",
            name,
            "Weir sends it itself; a client could change what is decided.");
      }
      if (field.equals("authorization") && remote.key() != null) {
        throw new InvalidConfigurationPropertyValueException(
            "weir.remote.headers", name, "It carries weir.remote.key.");
      }
    }
    return new RemoteGate.Settings(
        url(remote),
        Optional.ofNullable(key(remote)),
        timeout(remote),
        remote.onFailure(),
        distinct(remote.headers()));
  }

  /** A field that is sent twice is refused. Names differ by more than their case. */
  private static List<String> distinct(List<String> names) {
    Set<String> distinct = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    distinct.addAll(names);
    return List.copyOf(distinct);
  }

  static Duration timeout(WeirProperties.Remote remote) {
    Duration timeout = remote.timeout();
    if (timeout.toMillis() < 1 || timeout.compareTo(MAX_TIMEOUT) > 0) {
      throw new InvalidConfigurationPropertyValueException(
          "weir.remote.timeout", timeout, "It must be from 1ms to 1h.");
    }
    return timeout;
  }

  static @Nullable String key(WeirProperties.Remote remote) {
    if (remote.key() != null && !RemoteGate.isSendable(remote.key())) {
      throw new WrongSecretException(
          "weir.remote.key", "It cannot be sent in a header field: it must be printable ASCII.");
    }
    return remote.key();
  }

  static URI url(WeirProperties.Remote remote) {
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
