package dev.weir.http.oidc;

import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSetCacheRefreshEvaluator;
import com.nimbusds.jose.jwk.source.JWKSetSource;
import com.nimbusds.jose.jwk.source.JWKSetUnavailableException;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.JSONObjectUtils;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the keys of an issuer through OpenID Connect Discovery: first their address, then the keys.
 * Does not cache them.
 */
final class IssuerKeys implements JWKSetSource<SecurityContext> {
  private static final int MAX_BYTES = 512 * 1024;

  private final String address;

  /**
   * Max time for the whole read; a connection time-out alone would not end a slow, trickling
   * response.
   */
  private final Duration maxWait;

  private final HttpClient client;
  private volatile Optional<Instant> lastRead = Optional.empty();

  IssuerKeys(String address, Duration maxWait) {
    this.address = address;
    this.maxWait = maxWait;
    this.client = HttpClient.newBuilder().connectTimeout(maxWait).build();
  }

  /** Returns true if the keys were last read successfully within {@code time}. */
  boolean wereReadWithin(Duration time) {
    return lastRead.filter(Instant.now().minus(time)::isBefore).isPresent();
  }

  @Override
  public JWKSet getJWKSet(
      JWKSetCacheRefreshEvaluator evaluator, long nowMillis, @Nullable SecurityContext context)
      throws JWKSetUnavailableException {
    FutureTask<JWKSet> reading = new FutureTask<>(this::read);
    Thread.ofVirtual().start(reading);
    try {
      JWKSet keys = reading.get(maxWait.toMillis(), TimeUnit.MILLISECONDS);
      lastRead = Optional.of(Instant.now());
      return keys;
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      String message = cause == null ? null : cause.getMessage();
      // A refused connection has no message of its own.
      throw new JWKSetUnavailableException(message == null ? "no connection" : message, cause);
    } catch (TimeoutException e) {
      throw new JWKSetUnavailableException("no answer within " + maxWait, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new JWKSetUnavailableException("interrupted", e);
    } finally {
      reading.cancel(true);
    }
  }

  private JWKSet read() throws IOException, InterruptedException, ParseException {
    String base = address.endsWith("/") ? address.substring(0, address.length() - 1) : address;
    Map<String, Object> about =
        JSONObjectUtils.parse(get(URI.create(base + "/.well-known/openid-configuration")));
    if (!address.equals(about.get("issuer"))) {
      throw new IOException("it calls itself " + about.get("issuer"));
    }
    URI keys = JSONObjectUtils.getURI(about, "jwks_uri");
    if (keys == null || !SafeAddress.isSafe(keys)) {
      throw new IOException("its keys are at no https address: " + keys);
    }
    return JWKSet.parse(get(keys));
  }

  private String get(URI uri) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(uri).header("Accept", "application/json").GET().build();
    HttpResponse<InputStream> response =
        client.send(request, HttpResponse.BodyHandlers.ofInputStream());
    try (InputStream body = response.body()) {
      if (response.statusCode() != 200) {
        throw new IOException(uri + " answers " + response.statusCode());
      }
      byte[] bytes = body.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        throw new IOException(uri + " answers with more than " + MAX_BYTES + " bytes");
      }
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }

  @Override
  public void close() {
    // The client is released with its last reference.
  }
}
