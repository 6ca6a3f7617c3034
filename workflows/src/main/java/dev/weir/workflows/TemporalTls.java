package dev.weir.workflows;

import io.temporal.serviceclient.SimpleSslContextBuilder;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import java.util.Optional;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/**
 * How a connection to Temporal is encrypted. The files are PEM files.
 *
 * @param trust certificates to trust; empty for those of the Java runtime
 * @param certificate the client's certificate, with its chain; empty for none
 * @param key the key of that certificate, in PKCS #8 without a password
 */
public record TemporalTls(Optional<Path> trust, Optional<Path> certificate, Optional<Path> key) {
  public TemporalTls {
    if (certificate.isPresent() != key.isPresent()) {
      throw new IllegalArgumentException("certificate and key belong together");
    }
  }

  /**
   * Reads the files.
   *
   * @throws IllegalArgumentException if one cannot be read, or does not contain what it should
   */
  public void check() {
    applyTo(WorkflowServiceStubsOptions.newBuilder());
  }

  /**
   * Applies this to a connection.
   *
   * @throws IllegalArgumentException if a file cannot be read, or does not contain what it should
   */
  void applyTo(WorkflowServiceStubsOptions.Builder options) {
    if (trust.isEmpty() && certificate.isEmpty()) {
      options.setEnableHttps(true);
      return;
    }
    try {
      SimpleSslContextBuilder context = keyed();
      if (trust.isPresent()) {
        context.setTrustManager(trusting(trust.get()));
      }
      options.setSslContext(context.build());
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalArgumentException("TLS cannot be set up: " + e.getMessage(), e);
    }
  }

  private SimpleSslContextBuilder keyed() throws IOException {
    if (certificate.isEmpty()) {
      return SimpleSslContextBuilder.noKeyOrCertChain();
    }
    // It reads them when it builds the context, so they must stay open until then.
    return SimpleSslContextBuilder.forPKCS8(
        new ByteArrayInputStream(Files.readAllBytes(certificate.get())),
        new ByteArrayInputStream(Files.readAllBytes(key.orElseThrow())));
  }

  private static TrustManager trusting(Path file) throws IOException, GeneralSecurityException {
    Collection<? extends Certificate> certificates;
    try (InputStream in = Files.newInputStream(file)) {
      certificates = CertificateFactory.getInstance("X.509").generateCertificates(in);
    }
    if (certificates.isEmpty()) {
      throw new GeneralSecurityException(file + " has no certificates");
    }
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    int number = 0;
    for (Certificate certificate : certificates) {
      store.setCertificateEntry("trusted-" + number++, certificate);
    }
    TrustManagerFactory managers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(store);
    return managers.getTrustManagers()[0];
  }
}
