package dev.weir.notifications.analytics;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Base64;
import java.util.Collection;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * How OpenSearch is reached.
 *
 * @param url address of a node or a proxy, http or https, without user and query
 * @param authorization value of the header {@code Authorization}
 * @param tls what is trusted; empty for the certificates of the Java runtime
 * @param timeout maximum time for an answer
 */
public record OpenSearchSettings(
    URI url, Optional<String> authorization, Optional<SSLContext> tls, Duration timeout) {
  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

  public OpenSearchSettings {
    if (url.getUserInfo() != null || url.getQuery() != null || url.getFragment() != null) {
      // The address is logged; a password in it would be, too.
      throw new IllegalArgumentException("url must have neither a user nor a query");
    }
  }

  public static OpenSearchSettings of(URI url) {
    return new OpenSearchSettings(url, Optional.empty(), Optional.empty(), DEFAULT_TIMEOUT);
  }

  public OpenSearchSettings withPassword(String user, String password) {
    String pair = user + ":" + password;
    String encoded = Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
    return withAuthorization("Basic " + encoded);
  }

  public OpenSearchSettings withApiKey(String key) {
    return withAuthorization("ApiKey " + key);
  }

  private OpenSearchSettings withAuthorization(String value) {
    return new OpenSearchSettings(url, Optional.of(value), tls, timeout);
  }

  public OpenSearchSettings withTimeout(Duration other) {
    return new OpenSearchSettings(url, authorization, tls, other);
  }

  /**
   * Returns settings that trust the certificates of a file instead of those of the Java runtime.
   *
   * @param certificates a PEM file
   * @throws IllegalArgumentException if it is not a file of certificates
   */
  public OpenSearchSettings withTrust(Path certificates) {
    try (InputStream in = Files.newInputStream(certificates)) {
      Collection<? extends Certificate> trusted =
          CertificateFactory.getInstance("X.509").generateCertificates(in);
      if (trusted.isEmpty()) {
        throw new IllegalArgumentException("the file has no certificate");
      }
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int number = 0;
      for (Certificate certificate : trusted) {
        store.setCertificateEntry("trusted-" + number++, certificate);
      }
      TrustManagerFactory managers =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      managers.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, managers.getTrustManagers(), null);
      return new OpenSearchSettings(url, authorization, Optional.of(context), timeout);
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalArgumentException("the file is not a PEM file of certificates", e);
    }
  }

  /** Contains no secrets. */
  @Override
  public String toString() {
    return url.toString();
  }
}
