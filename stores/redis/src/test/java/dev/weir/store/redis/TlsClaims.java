package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.StoreException;
import dev.weir.limits.Concurrency;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import dev.weir.store.tck.internal.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Claims about TLS: trusted servers are used, all others are refused with the reason. */
@Timeout(300)
interface TlsClaims {
  Policy TEN = Policy.of("ten", TokenBucket.of(10, Duration.ofHours(1)));

  RedisProgram program();

  @Test
  default void redisWithATrustedCertificateIsUsed() {
    TestCertificate shown = TestCertificate.ofLoopback();
    int port = RedisServer.freePort();
    try (RedisServer server = RedisServer.start(program(), options(shown, port));
        Redis redis = open("rediss://127.0.0.1:" + port, shown)) {
      RedisLimitStore store = new RedisLimitStore(redis);
      var unused = RedisFaults.eventually(() -> store.usage(TEN, "warm"));
      assertThat(store.decide(TEN, "k", 1).remaining()).isEqualTo(9);
      assertThat(
              new RedisLeaseStore(redis)
                  .acquire("r", Concurrency.of(1, Duration.ofMinutes(1)), "a", 1))
          .isInstanceOf(LeaseDecision.Held.class);
      assertThat(server.command("EXISTS weir:t:ten:{k} weir:l:{r}")).startsWith(":2");
    }
  }

  @Test
  default void clusterIsUsed() {
    TestCertificate shown = TestCertificate.ofLoopback();
    int port = RedisServer.freePort();
    List<String> options = new ArrayList<>(List.of(options(shown, port)));
    options.addAll(List.of("--cluster-enabled", "yes", "--tls-cluster", "yes"));
    options.addAll(List.of("--cluster-port", Integer.toString(RedisServer.freePort())));
    try (RedisServer server = RedisServer.start(program(), options.toArray(String[]::new))) {
      ClusterServers.giveSlots(server, 0, 1);
      server.waitUntil("CLUSTER INFO", "cluster_state:ok");
      try (Redis redis = open("rediss-cluster://127.0.0.1:" + port, shown)) {
        RedisLimitStore store = new RedisLimitStore(redis);
        var unused = RedisFaults.eventually(() -> store.usage(TEN, "warm"));
        assertThat(store.decide(TEN, "k", 1).remaining()).isEqualTo(9);
      }
    }
  }

  @Test
  default void masterIsFoundAndUsed() {
    TestCertificate shown = TestCertificate.ofLoopback();
    int port = RedisServer.freePort();
    int sentinelPort = RedisServer.freePort();
    try (RedisServer server = RedisServer.start(program(), options(shown, port));
        RedisServer sentinel =
            RedisServer.startSentinel(
                program(),
                port,
                "tls-port " + sentinelPort,
                "tls-cert-file " + shown.certificate(),
                "tls-key-file " + shown.key(),
                "tls-ca-cert-file " + shown.certificate(),
                "tls-auth-clients no",
                "tls-replication yes");
        Redis redis = open("rediss-sentinel://127.0.0.1:" + sentinelPort + "#main", shown)) {
      RedisLimitStore store = new RedisLimitStore(redis);
      var unused = RedisFaults.eventually(() -> store.usage(TEN, "warm"));
      assertThat(store.decide(TEN, "k", 1).remaining()).isEqualTo(9);
      assertThat(server.command("EXISTS weir:t:ten:{k}")).startsWith(":1");
      assertThat(sentinel.command("PING")).startsWith("+PONG");
    }
  }

  @Test
  default void certificateThatIsNotTrustedIsRefused() {
    TestCertificate shown = TestCertificate.ofLoopback();
    TestCertificate trusted = TestCertificate.anotherOfLoopback();
    int port = RedisServer.freePort();
    String uri = "rediss://127.0.0.1:" + port;
    try (RedisServer server = RedisServer.start(program(), options(shown, port));
        Redis byJava = Redis.open(RedisSettings.of(uri).withCommandTimeout(Servers.MAX_WAIT));
        Redis byOther = open(uri, trusted);
        Redis asCluster = open("rediss-cluster://127.0.0.1:" + port, trusted);
        Redis asSentinel = open("rediss-sentinel://127.0.0.1:" + port + "#main", trusted)) {
      for (Redis redis : List.of(byJava, byOther, asCluster, asSentinel)) {
        refuses(redis, "PKIX path");
      }
      assertThat(server.command("DBSIZE")).startsWith(":0");
    }
  }

  @Test
  default void certificateOfAnotherHostIsRefused() {
    TestCertificate shown = TestCertificate.ofAnotherHost();
    int port = RedisServer.freePort();
    try (RedisServer server = RedisServer.start(program(), options(shown, port));
        Redis redis = open("rediss://127.0.0.1:" + port, shown)) {
      refuses(redis, "No subject alternative names");
      assertThat(server.command("DBSIZE")).startsWith(":0");
    }
  }

  @Test
  default void tlsIsNotMistakenForPlainTextNorPlainTextForTls() {
    TestCertificate shown = TestCertificate.ofLoopback();
    int port = RedisServer.freePort();
    try (RedisServer server = RedisServer.start(program(), options(shown, port));
        Redis plain = open("redis://127.0.0.1:" + port, shown);
        Redis encrypted = Redis.open(RedisSettings.of("rediss://127.0.0.1:" + server.port()))) {
      refuses(plain, "Redis failed");
      // A Redis without TLS sends nothing: it takes the handshake for an incomplete command.
      refuses(encrypted, "Redis has not answered");
      assertThat(server.command("DBSIZE")).startsWith(":0");
    }
  }

  /** On a busy machine, a connection may fail for lack of time before its certificate is seen. */
  private static void refuses(Redis redis, String reason) {
    RedisLimitStore store = new RedisLimitStore(redis);
    Await.until(
        () -> {
          StoreException refused =
              catchThrowableOfType(StoreException.class, () -> store.take(TEN, "k", 1));
          assertThat(refused).isNotNull();
          return String.valueOf(refused.getMessage()).contains(reason);
        });
  }

  private static Redis open(String uri, TestCertificate trusted) {
    return Redis.open(
        RedisSettings.of(uri)
            .withCommandTimeout(Servers.MAX_WAIT)
            .withTrust(trusted.certificate()));
  }

  private static String[] options(TestCertificate shown, int port) {
    return new String[] {
      "--tls-port", Integer.toString(port),
      "--tls-cert-file", shown.certificate().toString(),
      "--tls-key-file", shown.key().toString(),
      "--tls-ca-cert-file", shown.certificate().toString(),
      "--tls-auth-clients", "no"
    };
  }
}
