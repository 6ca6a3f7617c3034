package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.StoreException;
import dev.weir.slots.Slot;
import dev.weir.store.jdbc.slots.internal.Account;
import dev.weir.store.tck.internal.Await;
import dev.weir.store.tck.slots.Node;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The database stops and comes back. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class DeadDatabaseTest {
  @Test
  void failsWhileItIsGoneAndRecovers(@TempDir Path folder) throws Exception {
    PostgresqlServer first = PostgresqlServer.start(folder.resolve("data"));
    try (HikariDataSource pool =
        PostgresqlPool.open(
            new PoolSettings(first.url(), "postgres", "", 1, 4, Duration.ofMillis(300)))) {
      PostgresqlPool.migrate(pool);
      Node node = Database.node(pool, InstantSource.fixed(Account.NOON));
      Account account = Await.answer(() -> Account.open(node, 1));
      // A busy machine may need longer than these callers wait.
      Slot before = Await.answer(() -> account.assign(node, "a", Account.NOON));

      first.close();

      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> account.assign(node, "b", Account.NOON))
            .isInstanceOf(StoreException.class)
            .hasMessageStartingWith("the database failed");
      }
      assertThatThrownBy(() -> node.ledger().find(account.id("a")))
          .isInstanceOf(StoreException.class);
      assertThatThrownBy(() -> node.upkeep().runExclusively(() -> {}))
          .isInstanceOf(StoreException.class);

      try (PostgresqlServer second = first.startAgain()) {
        assertThat(second.port()).isEqualTo(first.port());
        // The pool needs a moment to notice that the database is back.
        Slot after = Await.answer(() -> account.assign(node, "b", Account.NOON));
        assertThat(after.scheduledTime()).isEqualTo(Account.NOON.plusSeconds(4));
        assertThat(Await.answer(() -> node.ledger().find(account.id("a")))).contains(before);
        Slot next = Await.answer(() -> account.assign(node, "c", Account.NOON));
        assertThat(next.scheduledTime()).isEqualTo(Account.NOON.plusSeconds(8));
      }
    }
  }
}
