package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.OctetSequenceKey;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.wiring.Node;
import dev.weir.server.faults.Ports;
import dev.weir.server.faults.Waiting;
import dev.weir.server.oidc.SmallIssuer;
import dev.weir.server.wiring.TestNode;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the tokens of an OpenID Connect issuer permit. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class IssuedTokensIT {
  private static final String ADMIN_PATH = "/admin/rate-limit/configs";
  private static final String DATA_PATH = "/api/v1/slots";

  /** No issuer that answers takes so long, on however busy a machine. */
  private static final String PATIENT = "PT1M";

  private static SmallIssuer issuer;
  private static Node node;
  private static Http http;

  @BeforeAll
  static void start() throws Exception {
    issuer = SmallIssuer.start();
    node = start(issuer.address(), PATIENT);
    http = new Http(node.address());
  }

  @AfterAll
  static void stop() {
    node.close();
    issuer.close();
  }

  @AfterEach
  void restore() {
    issuer.useFirstKey();
  }

  private static Node start(String issuer, String maxWait) {
    return TestNode.inMemory(
        Map.of(
            ServerSetting.OIDC_ISSUER,
            issuer,
            ServerSetting.OIDC_AUDIENCE,
            SmallIssuer.AUDIENCE,
            ServerSetting.OIDC_ADMIN_ROLE,
            "keeper",
            ServerSetting.OIDC_TIMEOUT,
            maxWait,
            ServerSetting.CLIENT_KEYS,
            "key-of-a-client-or-two",
            ServerSetting.ADMIN_TOKEN,
            "token-of-administrators"));
  }

  @Test
  void takesTheRoleOfAListOrASingleOne() throws Exception {
    with(issuer.token(issuer.claims())).get(DATA_PATH).ok();
    int before = issuer.questions();
    for (Object roles : List.of(List.of("reader", "keeper"), "keeper")) {
      Http admin = with(issuer.token(issuer.claims().claim("roles", roles)));
      admin.get(ADMIN_PATH).ok();
      admin.get(DATA_PATH).ok();
      assertThat(admin.post("/admin/rate-limit/cache/flush").status()).isEqualTo(204);
    }
    assertThat(issuer.questions()).as("the keys were known").isEqualTo(before);
  }

  /** Users may be able to choose the names of their groups, or the scopes that they ask for. */
  @Test
  void findsTheRoleInTheConfiguredClaimOnly() throws Exception {
    List<String> roles = List.of("reader", "keeper");
    Map<String, JWTClaimsSet.Builder> places =
        Map.of(
            "roles", issuer.claims().claim("roles", roles),
            "groups", issuer.claims().claim("groups", roles),
            "/realm_access/roles", issuer.claims().claim("realm_access", Map.of("roles", roles)),
            "https://weir.example/roles",
                issuer.claims().claim("https://weir.example/roles", roles),
            "scope", issuer.claims().claim("scope", "openid keeper"));
    for (String configured : places.keySet()) {
      try (Node other =
          TestNode.inMemory(
              Map.of(
                  ServerSetting.OIDC_ISSUER,
                  issuer.address(),
                  ServerSetting.OIDC_AUDIENCE,
                  SmallIssuer.AUDIENCE,
                  ServerSetting.OIDC_TIMEOUT,
                  PATIENT,
                  ServerSetting.OIDC_ROLE_CLAIM,
                  configured,
                  ServerSetting.OIDC_ADMIN_ROLE,
                  "keeper"))) {
        for (Map.Entry<String, JWTClaimsSet.Builder> place : places.entrySet()) {
          assertThat(
                  new Http(other.address())
                      .with("Authorization", "Bearer " + issuer.token(place.getValue()))
                      .get(ADMIN_PATH)
                      .status())
              .as("%s where %s is configured", place.getKey(), configured)
              .isEqualTo(place.getKey().equals(configured) ? 200 : 403);
        }
      }
    }
  }

  @Test
  void opensDataToAnyTokenInForce() throws Exception {
    for (JWTClaimsSet.Builder claims :
        List.of(
            issuer.claims(),
            issuer.claims().claim("scope", "keepers keeper2").claim("roles", List.of(1, "Keeper")),
            issuer.claims().claim("roles", Map.of("keeper", true)).claim("realm_access", "keeper"),
            issuer.claims().audience(List.of("others", SmallIssuer.AUDIENCE)))) {
      Http client = with(issuer.token(claims));
      client.get(DATA_PATH).ok();
      client.post(DATA_PATH, "{\"eventId\":\"a\"}").ok();
      Http.Answer refused = client.get(ADMIN_PATH).problem(403, "not-allowed");
      assertThat(refused.header("www-authenticate"))
          .hasValue("Bearer realm=\"weir\", error=\"insufficient_scope\"");
    }
  }

  @Test
  void closesWhatIsForAdministratorsByItself() throws Exception {
    try (Node alone =
        TestNode.inMemory(
            Map.of(
                ServerSetting.OIDC_ISSUER,
                issuer.address(),
                ServerSetting.OIDC_AUDIENCE,
                SmallIssuer.AUDIENCE,
                ServerSetting.OIDC_TIMEOUT,
                PATIENT))) {
      Http anonymous = new Http(alone.address());
      anonymous.get(ADMIN_PATH).problem(401, "token-missing");
      anonymous.get(DATA_PATH).ok();
      String admin = issuer.token(issuer.claims().claim("roles", "weir-admin"));
      anonymous.with("Authorization", "Bearer " + admin).get(ADMIN_PATH).ok();
    }
  }

  @Test
  void carriesAStream() throws Exception {
    String lines =
        IntStream.range(0, 5_000)
            .mapToObj("{\"eventId\":\"e%d\"}\n"::formatted)
            .collect(Collectors.joining());
    Http client =
        http.with(
            "Authorization",
            "Bearer " + issuer.token(issuer.claims()),
            "Content-Type",
            "application/x-ndjson");
    Http.Answer answer = client.post("/api/v1/slots/batch", lines);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text().lines()).hasSize(5_000).allMatch(line -> line.contains("delayMs"));
  }

  @Test
  void takesEllipticCurves() throws Exception {
    issuer.useKeys(SmallIssuer.newEcKey());
    with(issuer.token(issuer.claims())).get(DATA_PATH).ok();
  }

  @Test
  void refusesWhatIsNotInForceOrNotForIt() throws Exception {
    Instant now = Instant.now();
    // More than the minute by which clocks may differ.
    Date past = Date.from(now.minusSeconds(90));
    for (JWTClaimsSet.Builder claims :
        List.of(
            issuer.claims().expirationTime(past),
            issuer.claims().expirationTime(null),
            issuer.claims().notBeforeTime(Date.from(now.plusSeconds(3_600))),
            issuer.claims().issuer("http://127.0.0.1:1/realm"),
            issuer.claims().issuer(issuer.address() + "/"),
            issuer.claims().issuer(null),
            issuer.claims().audience("other"),
            issuer.claims().audience(List.of()))) {
      refuses(issuer.token(claims.claim("roles", "keeper")));
    }
    with(issuer.token(issuer.claims().expirationTime(Date.from(Instant.now().minusSeconds(2)))))
        .get(DATA_PATH)
        .ok();
  }

  @Test
  void refusesWhatTheIssuerDidNotSign() throws Exception {
    JWTClaimsSet.Builder claims = issuer.claims().claim("roles", "keeper");
    JWK strange = SmallIssuer.newRsaKey();
    JWK feigned = new RSAKey.Builder((RSAKey) strange).keyID(issuer.key().getKeyID()).build();
    String good = issuer.token(claims);
    String other = issuer.token(issuer.claims());
    byte[] publicKey = ((RSAKey) issuer.key()).toRSAPublicKey().getEncoded();
    JWK asSecret = new OctetSequenceKey.Builder(publicKey).keyID(issuer.key().getKeyID()).build();
    for (String token :
        List.of(
            issuer.token(claims, feigned),
            issuer.token(claims, strange),
            issuer.token(claims, SmallIssuer.newEcKey()),
            issuer.token(claims, asSecret, JWSAlgorithm.HS256),
            issuer.token(claims, issuer.key(), JWSAlgorithm.RS512),
            new PlainJWT(claims.build()).serialize(),
            // The claims of one under the signature of the other.
            good.substring(0, good.lastIndexOf('.')) + other.substring(other.lastIndexOf('.')),
            good.substring(0, good.lastIndexOf('.') + 1),
            "a.b.c",
            // The JSON of the header is null, a number, a list.
            "bnVsbA.e30.eA",
            "MQ.e30.eA",
            "W10.e30.eA",
            "stranger")) {
      refuses(token);
    }
    with(good).get(ADMIN_PATH).ok();
  }

  @Test
  void followsTheIssuerToItsNextKeyAtOnce() throws Exception {
    String before = issuer.token(issuer.claims());
    with(before).get(DATA_PATH).ok();
    issuer.useKeys(SmallIssuer.newEcKey());
    with(issuer.token(issuer.claims())).get(DATA_PATH).ok();
    refuses(before);
  }

  @Test
  void asksForKeysOnlyNowAndThenHoweverManyStrangersCome() throws Exception {
    int before = issuer.questions();
    long startNanos = System.nanoTime();
    with(issuer.token(issuer.claims())).get(DATA_PATH).ok();
    try (ExecutorService strangers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> refused = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        String token = issuer.token(issuer.claims(), SmallIssuer.newEcKey());
        refused.add(strangers.submit(() -> refuses(token)));
      }
      for (Future<?> each : refused) {
        each.get();
      }
    }
    // Once a second, and once to begin with.
    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNanos);
    assertThat((long) issuer.questions() - before).isLessThanOrEqualTo(seconds + 2);
    with(issuer.token(issuer.claims())).get(DATA_PATH).ok();
  }

  @Test
  void strangersDoNotDelayTheNextKeyOfTheIssuer() throws Exception {
    with(issuer.token(issuer.claims())).get(DATA_PATH).ok();
    for (int i = 0; i < 3; i++) {
      with(issuer.token(issuer.claims(), SmallIssuer.newEcKey()))
          .get(DATA_PATH)
          .problem(401, "token-invalid");
    }
    issuer.useKeys(SmallIssuer.newEcKey());
    with(issuer.token(issuer.claims())).get(DATA_PATH).ok();
  }

  @Test
  void refusesSubjectsThatNoDatabaseKeeps() throws Exception {
    for (String subject : List.of("a\0b", "\0")) {
      refuses(issuer.token(issuer.claims().subject(subject).claim("roles", "keeper")));
    }
  }

  @Test
  void goesOnWithKnownKeysWhileTheIssuerIsGone() throws Exception {
    try (SmallIssuer leaving = SmallIssuer.start(Ports.free());
        Node alone = start(leaving.address(), PATIENT)) {
      Http client = new Http(alone.address());
      Http known = with(client, leaving.token(leaving.claims()));
      known.get(DATA_PATH).ok();
      leaving.leave();
      known.get(DATA_PATH).ok();
      for (int i = 0; i < 3; i++) {
        refuses(client, leaving.token(leaving.claims(), SmallIssuer.newEcKey()));
      }
      known.get(DATA_PATH).ok();
    }
  }

  @Test
  void saysThatItCannotJudgeUntilTheIssuerIsThere() throws Exception {
    try (SmallIssuer absent = SmallIssuer.start(Ports.free());
        Node alone = start(absent.address(), PATIENT)) {
      Http client = new Http(alone.address());
      absent.leave();
      for (int i = 0; i < 5; i++) {
        cannotJudge(with(client, absent.token(absent.claims())));
      }
      needsNoIssuer(client);
      try (SmallIssuer back = SmallIssuer.start(absent.port())) {
        Http known = with(client, back.token(back.claims()));
        Waiting.until("keys of the issuer", () -> known.get(DATA_PATH).status() != 503);
        known.get(DATA_PATH).ok();
      }
    }
  }

  @Test
  void waitsForNoIssuerThatHangs() throws Exception {
    // It accepts connections and sends nothing.
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Node alone = start("http://127.0.0.1:" + silent.getLocalPort(), "PT0.2S")) {
      Http client = new Http(alone.address());
      cannotJudge(with(client, issuer.token(issuer.claims())));
      needsNoIssuer(client);
    }
  }

  @Test
  void trustsNoIssuerOfAnotherName() throws Exception {
    try (SmallIssuer other = SmallIssuer.start();
        Node alone = start(other.address(), PATIENT)) {
      other.rename("http://127.0.0.1:1/realm");
      cannotJudge(with(new Http(alone.address()), other.token(other.claims())));
    }
  }

  private static Http with(String token) {
    return with(http, token);
  }

  private static Http with(Http client, String token) {
    return client.with("Authorization", "Bearer " + token);
  }

  private static void refuses(String token) {
    refuses(http, token);
  }

  private static void refuses(Http client, String token) {
    for (String path : List.of(ADMIN_PATH, DATA_PATH)) {
      Http.Answer answer = with(client, token).get(path).problem(401, "token-invalid");
      assertThat(answer.header("www-authenticate"))
          .hasValue("Bearer realm=\"weir\", error=\"invalid_token\"");
    }
  }

  private static void cannotJudge(Http client) {
    Http.Answer answer = client.get(DATA_PATH).problem(503, "issuer-unavailable");
    assertThat(answer.header("retry-after")).hasValue("5");
    assertThat(answer.text()).doesNotContain("127.0.0.1", "Exception", "realm");
  }

  private static void needsNoIssuer(Http client) {
    with(client, "token-of-administrators").get(ADMIN_PATH).ok();
    with(client, "key-of-a-client-or-two").get(DATA_PATH).ok();
    with(client, "key-of-a-client-or-two").get(ADMIN_PATH).problem(403, "not-allowed");
    client.get(DATA_PATH).problem(401, "token-missing");
  }
}
