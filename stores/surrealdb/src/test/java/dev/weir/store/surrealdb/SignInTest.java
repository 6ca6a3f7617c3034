package dev.weir.store.surrealdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.StoreException;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import dev.weir.store.tck.internal.Await;
import dev.weir.store.tck.internal.Crowd;
import dev.weir.store.tck.internal.SurrealServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Users sign in once, not with every request, and again when their token ends. */
@RequiresSurrealDb
final class SignInTest {
  private static final Policy POLICY = Policy.of("p", TokenBucket.of(100, Duration.ofDays(366)));

  private static SurrealServer server;

  @BeforeAll
  static void start() {
    server = SurrealServer.start(SurrealServer.Storage.ROCKSDB);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void userSignsInOnceForManyCallers() {
    try (SurrealDb database = SurrealDb.open(Clients.settings(server.port()))) {
      SurrealDbLimitStore store = new SurrealDbLimitStore(database);
      long before = server.signIns();
      List<Boolean> taken =
          Crowd.concurrently(64, caller -> store.take(POLICY, "k" + caller % 8, 1));
      assertThat(taken).doesNotContain(false);
      assertThat(server.signIns()).isEqualTo(before + 1);
    }
  }

  @Test
  void tokenThatIsNoLongerAcceptedIsRenewed() {
    try (SurrealDb database = SurrealDb.open(Clients.settings(server.port()))) {
      SurrealDbLimitStore store = new SurrealDbLimitStore(database);
      assertThat(store.take(POLICY, "k", 1)).isTrue();
      // The bridge forgets its tokens, as a server does whose key has changed.
      server.kill();
      server.restart();
      assertThat(Eventually.answer(() -> store.take(POLICY, "k", 1))).isTrue();
      assertThat(server.signIns()).isOne();
    }
  }

  @Test
  void shortTokenIsUsedForSeveralCalls() {
    try (SurrealServer hasty =
            SurrealServer.start(SurrealServer.Storage.ROCKSDB, Duration.ofSeconds(50));
        SurrealDb database = SurrealDb.open(Clients.settings(hasty.port()))) {
      SurrealDbLimitStore store = new SurrealDbLimitStore(database);
      // On a busy machine, a token may end between two calls.
      Await.until(
          () -> {
            store.usage(POLICY, "k");
            long before = hasty.signIns();
            store.usage(POLICY, "k");
            return hasty.signIns() == before;
          });
    }
  }

  @Test
  void wrongPasswordIsAFailureThatHasDoneNothing() {
    SurrealDbSettings.User wrong =
        new SurrealDbSettings.User(
            SurrealServer.USER, "a wrong one", SurrealDbSettings.Level.DATABASE);
    try (SurrealDb database = SurrealDb.open(Clients.settings(server.port()).withUser(wrong))) {
      SurrealDbLimitStore store = new SurrealDbLimitStore(database);
      StoreException failure =
          catchThrowableOfType(StoreException.class, () -> store.take(POLICY, "k", 1));
      assertThat(failure.outcome()).isEqualTo(StoreException.Outcome.NONE);
      assertThat(failure)
          .hasMessageContaining("does not accept the user")
          .hasMessageNotContaining("a wrong one");
    }
  }
}
