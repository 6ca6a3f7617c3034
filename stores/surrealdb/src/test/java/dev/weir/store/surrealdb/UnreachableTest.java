package dev.weir.store.surrealdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.StoreException;
import dev.weir.StoreException.Outcome;
import dev.weir.store.tck.internal.NoTls;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Without a connection nothing was done, whatever has prevented it. */
@Timeout(300)
final class UnreachableTest {
  private static final long MAX_NANOS = Clients.MAX_WAIT.toNanos();

  @Test
  void queryIsNotSentWithoutTls() throws IOException {
    for (NoTls.Answer answer : NoTls.Answer.values()) {
      try (NoTls server = new NoTls(answer);
          RpcClient client = new RpcClient(settings(server), InstantSource.system())) {
        StoreException failure =
            catchThrowableOfType(
                StoreException.class,
                () -> client.query(new Query("1", Map.of()), System.nanoTime() + MAX_NANOS));
        assertThat(failure.outcome()).as(answer.name()).isEqualTo(Outcome.NONE);
        assertThat(failure).hasMessageContaining("cannot be reached");
      }
    }
  }

  private static SurrealDbSettings settings(NoTls server) {
    return SurrealDbSettings.of(server.url(), "n", "d").withTimeout(Clients.MAX_WAIT);
  }
}
