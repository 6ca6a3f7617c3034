package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.store.tck.internal.OracleStandIn;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class OracleStandInTest {
  private static final int WAITING = 2 * Runtime.getRuntime().availableProcessors();

  private final String url = OracleStandIn.create();

  private Connection connect() throws SQLException {
    Connection connection = DriverManager.getConnection(url);
    connection.setAutoCommit(false);
    return connection;
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Statements that wait take no carrier from the virtual thread that they wait for. */
  @Test
  void waitingForALockDoesNotStopItsHolder() throws Exception {
    CountDownLatch locked = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(WAITING);
    FutureTask<Boolean> holder = new FutureTask<>(() -> hold(locked, begun));
    Thread.ofVirtual().start(holder);
    locked.await();
    List<FutureTask<Boolean>> waiters = new ArrayList<>();
    for (int i = 0; i < WAITING; i++) {
      FutureTask<Boolean> waiter = new FutureTask<>(() -> lock(begun));
      waiters.add(waiter);
      Thread.ofVirtual().start(waiter);
    }

    assertThat(holder.get()).isTrue();
    for (FutureTask<Boolean> waiter : waiters) {
      assertThat(waiter.get()).isTrue();
    }
  }

  @SuppressWarnings(
      "ThreadPriorityCheck") // The others should begin to wait; nothing depends on it.
  private boolean hold(CountDownLatch locked, CountDownLatch begun) throws Exception {
    try (Connection connection = connect()) {
      execute(connection, "create table t (id number(10) primary key)");
      execute(connection, "insert into t (id) values (1)");
      connection.commit();
      execute(connection, "select id from t for update");
      // From here on, H2's transactions poll for the end of this one.
      assertThatThrownBy(() -> execute(connection, "insert into t (id) values (1)"))
          .isInstanceOf(SQLException.class);
      locked.countDown();
      begun.await();
      for (int i = 0; i < 100; i++) {
        Thread.yield();
      }
      connection.commit();
      return true;
    }
  }

  private boolean lock(CountDownLatch begun) throws SQLException {
    try (Connection connection = connect()) {
      begun.countDown();
      execute(connection, "select id from t for update");
      connection.commit();
      return true;
    }
  }
}
