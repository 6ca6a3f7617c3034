package dev.weir.notifications.jdbc;

import dev.weir.notifications.messages.ReplayLock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.ExclusiveTask;
import dev.weir.store.jdbc.internal.Transactions;
import javax.sql.DataSource;

/**
 * A lock of the nodes that share a database, held by a session: it ends with the connection, so a
 * node that crashes releases it. Work that is still running while the database ends the session is
 * not interrupted; another node may begin then.
 */
public final class JdbcReplayLock implements ReplayLock {
  /** Number of an advisory lock: "weir" in ASCII, followed by 3. */
  private static final long LOCK = 0x7765697203L;

  private final ExclusiveTask task;

  public JdbcReplayLock(DataSource database) {
    this.task =
        new ExclusiveTask(
            Dialect.POSTGRESQL,
            Transactions.failFast(Dialect.POSTGRESQL, database, () -> {}),
            LOCK);
  }

  @Override
  public boolean run(Runnable work) {
    return task.run(work);
  }
}
