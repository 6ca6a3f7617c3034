package dev.weir.store.surrealdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.weir.StoreException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * A SurrealDB that hands out a token twice is not used, unless the settings accept that. It is a
 * stand-in, because engines that do so do not do so in every race.
 */
final class AnomalyTest {
  private static final int TOKENS = 400;

  @Test
  void databaseThatGrantsATokenTwiceIsNotUsed() throws IOException {
    try (Engine engine = new Engine(TOKENS + 1);
        SurrealDb database = SurrealDb.open(engine.settings())) {
      for (int attempt = 0; attempt < 2; attempt++) {
        assertThatThrownBy(database::check)
            .isInstanceOf(StoreException.class)
            .hasMessageContaining("hands out the same token twice")
            .satisfies(
                e ->
                    assertThat(((StoreException) e).outcome())
                        .isEqualTo(StoreException.Outcome.NONE));
      }
      assertThat(database.isAnomalous()).isTrue();
      assertThat(engine.races.get()).as("it is not given another chance").isEqualTo(1);
    }
  }

  @Test
  void databaseThatGrantsATokenTwiceIsUsedIfTheSettingsAcceptThat() throws IOException {
    try (Engine engine = new Engine(TOKENS + 1);
        SurrealDb database = SurrealDb.open(engine.settings().withAnomalies(true))) {
      database.check();
      assertThat(database.isAnomalous()).isFalse();
      assertThat(engine.races.get()).isZero();
    }
  }

  @Test
  void databaseThatGrantsEachTokenOnceIsCheckedOnce() throws IOException {
    try (Engine engine = new Engine(TOKENS);
        SurrealDb database = SurrealDb.open(engine.settings())) {
      database.check();
      int races = engine.races.get();
      database.check();
      assertThat(database.isAnomalous()).isFalse();
      assertThat(engine.races.get()).isEqualTo(races).isPositive();
    }
  }

  /** Answers the queries of the check, and all others with nothing. */
  private static final class Engine implements AutoCloseable {
    private final HttpServer server;
    private final int grants;
    private final AtomicInteger left = new AtomicInteger();
    final AtomicInteger races = new AtomicInteger();

    /** Creates an engine that grants each token of a race the given number of times. */
    Engine(int grants) throws IOException {
      this.grants = grants;
      this.server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext("/rpc", this::answer);
      server.start();
    }

    SurrealDbSettings settings() {
      return SurrealDbSettings.of(
              "http://127.0.0.1:" + server.getAddress().getPort(), "test", "weir")
          .withTimeout(Duration.ofMinutes(1));
    }

    private void answer(HttpExchange exchange) throws IOException {
      try (exchange) {
        Value call = new Value(CborReader.decode(exchange.getRequestBody().readAllBytes()));
        List<String> result = result(call.get("params").items().getFirst().text());
        byte[] body =
            CborWriter.encode(Map.of("result", List.of(Map.of("status", "OK", "result", result))));
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
      }
    }

    private List<String> result(String query) {
      if (query.contains("weir race-start")) {
        races.incrementAndGet();
        left.set(grants);
      } else if (query.contains("weir race-take")) {
        return left.getAndDecrement() > 0 ? List.of("a token") : List.of();
      }
      return List.of();
    }

    @Override
    public void close() {
      server.stop(0);
    }
  }
}
