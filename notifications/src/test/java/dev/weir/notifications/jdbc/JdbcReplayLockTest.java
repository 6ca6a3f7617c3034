package dev.weir.notifications.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.StoreException;
import dev.weir.store.jdbc.Database;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two nodes, each with its own connections. */
@Timeout(300)
final class JdbcReplayLockTest {
  private final String url = Database.get().createMigrated();
  private final HikariDataSource node = Database.openPool(url);
  private final HikariDataSource otherNode = Database.openPool(url);
  private final JdbcReplayLock lock = new JdbcReplayLock(node);
  private final JdbcReplayLock otherLock = new JdbcReplayLock(otherNode);
  private final AtomicInteger runs = new AtomicInteger();

  @AfterEach
  void close() {
    node.close();
    otherNode.close();
  }

  @Test
  void oneOfAllNodesRunsAtATime() {
    assertThat(
            lock.run(
                () -> {
                  assertThat(otherLock.run(runs::incrementAndGet)).isFalse();
                  assertThat(lock.run(runs::incrementAndGet)).isFalse();
                }))
        .isTrue();
    assertThat(runs).hasValue(0);
    assertThat(otherLock.run(runs::incrementAndGet)).isTrue();
    assertThat(lock.run(runs::incrementAndGet)).isTrue();
    assertThat(runs).hasValue(2);
  }

  @Test
  void workThatFailsReleasesTheLock() {
    assertThatThrownBy(
            () ->
                lock.run(
                    () -> {
                      throw new IllegalStateException("no broker");
                    }))
        .hasMessage("no broker");
    assertThat(otherLock.run(runs::incrementAndGet)).isTrue();
  }

  /** As after a crash of the node: its connections end. */
  @Test
  void nodeThatDiesReleasesTheLock() {
    assertThatThrownBy(
            () ->
                lock.run(
                    () -> {
                      Database.execute(
                          otherNode,
                          """
                          select pg_terminate_backend(pid, 120000) from pg_locks
                          where locktype = 'advisory' and database =
                            (select oid from pg_database where datname = current_database())
                          """);
                      assertThat(otherLock.run(runs::incrementAndGet)).isTrue();
                    }))
        .isInstanceOf(StoreException.class);
    assertThat(runs).hasValue(1);
  }
}
