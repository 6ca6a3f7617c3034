package dev.weir.server.oidc;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.factories.DefaultJWSSignerFactory;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/** An issuer that tells of itself and its keys over HTTP, and signs real tokens. */
public final class SmallIssuer implements AutoCloseable {
  public static final String AUDIENCE = "weir";

  /** Making one takes seconds, so all issuers begin with the same. */
  private static final JWK FIRST_KEY = firstKey();

  private final HttpServer server;
  private final AtomicInteger questions = new AtomicInteger();
  private volatile List<JWK> keys = List.of(FIRST_KEY);
  private volatile String name;

  private SmallIssuer(HttpServer server) {
    this.server = server;
    this.name = address();
  }

  private static JWK firstKey() {
    try {
      return newRsaKey();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  /** On a free port. */
  public static SmallIssuer start() throws IOException {
    return start(0);
  }

  public static SmallIssuer start(int port) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    SmallIssuer issuer = new SmallIssuer(server);
    server.createContext("/realm/.well-known/openid-configuration", issuer::tellOfItself);
    server.createContext("/realm/keys", issuer::tellKeys);
    server.start();
    return issuer;
  }

  public String address() {
    return "http://127.0.0.1:" + port() + "/realm";
  }

  public int port() {
    return server.getAddress().getPort();
  }

  /** How often its keys were asked for. */
  public int questions() {
    return questions.get();
  }

  /** From now on these are its keys; the first one signs. */
  public void useKeys(JWK... others) {
    keys = List.of(others);
  }

  /** From now on it has the key that it began with. */
  public void useFirstKey() {
    useKeys(FIRST_KEY);
  }

  /** From now on it calls itself otherwise. */
  public void rename(String other) {
    name = other;
  }

  public JWK key() {
    return keys.getFirst();
  }

  public static JWK newRsaKey() throws JOSEException {
    return new RSAKeyGenerator(2048).keyID(UUID.randomUUID().toString()).generate();
  }

  public static JWK newEcKey() throws JOSEException {
    return new ECKeyGenerator(Curve.P_256).keyID(UUID.randomUUID().toString()).generate();
  }

  /** What a good token says. */
  public JWTClaimsSet.Builder claims() {
    return new JWTClaimsSet.Builder()
        .issuer(address())
        .audience(AUDIENCE)
        .subject("somebody")
        .expirationTime(Date.from(Instant.now().plusSeconds(600)));
  }

  public String token(JWTClaimsSet.Builder claims) throws JOSEException {
    return token(claims, key());
  }

  public String token(JWTClaimsSet.Builder claims, JWK key) throws JOSEException {
    JWSAlgorithm algorithm =
        key.getKeyType().getValue().equals("EC") ? JWSAlgorithm.ES256 : JWSAlgorithm.RS256;
    return token(claims, key, algorithm);
  }

  public String token(JWTClaimsSet.Builder claims, JWK key, JWSAlgorithm algorithm)
      throws JOSEException {
    SignedJWT token =
        new SignedJWT(
            new JWSHeader.Builder(algorithm).keyID(key.getKeyID()).build(), claims.build());
    JWSSigner signer = new DefaultJWSSignerFactory().createJWSSigner(key, algorithm);
    token.sign(signer);
    return token.serialize();
  }

  private void tellOfItself(HttpExchange exchange) throws IOException {
    answer(exchange, "{\"issuer\":\"%s\",\"jwks_uri\":\"%s/keys\"}".formatted(name, address()));
  }

  private void tellKeys(HttpExchange exchange) throws IOException {
    questions.incrementAndGet();
    answer(exchange, new JWKSet(keys).toString(true));
  }

  private static void answer(HttpExchange exchange, String json) throws IOException {
    try (exchange) {
      byte[] body = json.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().add("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  /** Closes its port: connections are refused from then on. */
  public void leave() {
    server.stop(0);
  }

  @Override
  public void close() {
    leave();
  }
}
