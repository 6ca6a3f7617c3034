package dev.weir.store.jdbc.internal;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/**
 * Looks for changes in Oracle, where {@link Channel} counts them. The owner calls {@link #look}
 * periodically, on one thread.
 */
public final class ChangePoller {
  private static final String COUNTS = "select channel, changes from change_counter";

  private final Transactions transactions;
  private final Map<Channel, ChangeListener.Listener> listeners;
  private Map<String, Long> seen = Map.of();

  private record Count(String channel, long changes) {
    static Count read(ResultSet row) throws SQLException {
      return new Count(row.getString(1), row.getLong(2));
    }
  }

  public ChangePoller(DataSource database, Map<Channel, ChangeListener.Listener> listeners) {
    this.transactions = Transactions.failFast(Dialect.ORACLE, database, () -> {});
    this.listeners = new EnumMap<>(listeners);
  }

  /**
   * Calls the listeners of the channels that have counted changes since the last look. The first
   * look calls all of them, because changes before it were missed.
   *
   * @throws dev.weir.StoreException if the database cannot be read; the next look finds what this
   *     one has missed
   */
  public void look() {
    List<Count> counts = transactions.read(connection -> Sql.list(connection, Count::read, COUNTS));
    Map<String, Long> found = new HashMap<>();
    counts.forEach(count -> found.put(count.channel(), count.changes()));
    Map<String, Long> before = seen;
    listeners.forEach(
        (channel, listener) -> {
          Long changes = found.get(channel.id());
          if (changes != null && !changes.equals(before.get(channel.id()))) {
            listener.allChanged();
          }
        });
    // Only now: if a listener throws, the next look calls it again.
    seen = found;
  }
}
