package dev.weir.store.redis;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Reads the certificates that a Redis server with TLS is trusted by. */
final class Trust {
  private Trust() {}

  /** Trusts the certificates in a PEM file, in place of those that Java trusts. */
  static TrustManagerFactory in(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      Collection<? extends Certificate> certificates =
          CertificateFactory.getInstance("X.509").generateCertificates(in);
      if (certificates.isEmpty()) {
        throw unreadable(file, null);
      }
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      for (Certificate certificate : certificates) {
        store.setCertificateEntry(Integer.toString(store.size()), certificate);
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      return trust;
    } catch (IOException | GeneralSecurityException e) {
      throw unreadable(file, e);
    }
  }

  private static IllegalArgumentException unreadable(Path file, @Nullable Exception cause) {
    return new IllegalArgumentException(
        "trust must be a PEM file of certificates, not " + file, cause);
  }
}
