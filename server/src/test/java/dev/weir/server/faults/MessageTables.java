package dev.weir.server.faults;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The tables of messages, read and moved in time by statements of the tests. */
public final class MessageTables {
  private final Connector database;

  /** Opens a connection for each step, because the database may have been killed since. */
  public interface Connector {
    Connection connect() throws SQLException;
  }

  /** A row of {@code notification_user}. */
  public record User(
      long userId,
      long rateLimit,
      long windowMicros,
      String algorithm,
      String costBy,
      long version,
      long revision,
      long atMicros,
      long used) {}

  /**
   * A row of {@code notification_message}.
   *
   * @param key empty for none
   */
  public record Stored(
      UUID id, long userId, String key, String text, long cost, long takenAtMicros, long version) {}

  public MessageTables(Connector database) {
    this.database = database;
  }

  /** Work on a connection. */
  private interface Work<T> {
    T on(Connection connection) throws SQLException;
  }

  private <T> T on(Work<T> work) throws SQLException {
    try (Connection connection = database.connect()) {
      connection.setAutoCommit(false);
      T result = work.on(connection);
      connection.commit();
      return result;
    }
  }

  /** Returns a user, after all transactions that are changing it. */
  public Optional<User> user(long userId) throws SQLException {
    return on(
        connection -> {
          try (PreparedStatement select =
              connection.prepareStatement(
                  """
                  select user_id, rate_limit, window_micros, algorithm, cost_by, version, revision,
                         at_micros, used
                  from notification_user where user_id = ? for update
                  """)) {
            select.setLong(1, userId);
            ResultSet row = select.executeQuery();
            return row.next()
                ? Optional.of(
                    new User(
                        row.getLong(1),
                        row.getLong(2),
                        row.getLong(3),
                        row.getString(4),
                        row.getString(5),
                        row.getLong(6),
                        row.getLong(7),
                        row.getLong(8),
                        row.getLong(9)))
                : Optional.empty();
          }
        });
  }

  /** Returns the messages of the users in a range, with those that are still in the outbox. */
  public List<Stored> messages(long firstUser, long lastUser) throws SQLException {
    return on(
        connection -> {
          try (PreparedStatement select =
              connection.prepareStatement(
                  """
                  select id, user_id, coalesce(idempotency_key, ''), text, cost, taken_at, version
                  from notification_message where user_id between ? and ?
                  order by taken_at, id
                  """)) {
            select.setLong(1, firstUser);
            select.setLong(2, lastUser);
            ResultSet row = select.executeQuery();
            List<Stored> messages = new ArrayList<>();
            while (row.next()) {
              messages.add(
                  new Stored(
                      row.getObject(1, UUID.class),
                      row.getLong(2),
                      row.getString(3),
                      row.getString(4),
                      row.getLong(5),
                      row.getLong(6),
                      row.getLong(7)));
            }
            return messages;
          }
        });
  }

  /** Adds a user that no node has heard of. */
  public void addUser(long userId, long limit, Duration window, String algorithm)
      throws SQLException {
    int unused =
        on(
            connection ->
                update(
                    connection,
                    """
                    insert into notification_user
                      (user_id, rate_limit, window_micros, algorithm, cost_by, version, revision,
                       at_micros, used, used_before, scale)
                    values (?, ?, ?, '%s', 'message', 1, 1, 0, 0, 0, 0)
                    """
                        .formatted(algorithm),
                    userId,
                    limit,
                    window.toNanos() / 1_000));
  }

  /** Moves all that a user has sent into the past, as if that time had passed since. */
  public void move(long userId, Duration time) throws SQLException {
    long micros = time.toNanos() / 1_000;
    int unused =
        on(
            connection -> {
              update(
                  connection,
                  "update notification_user set at_micros = at_micros - ? where user_id = ?",
                  micros,
                  userId);
              // In the order in which the sender locks them.
              update(
                  connection,
                  """
                  with locked as materialized (
                    select id from notification_message where user_id = ? order by id for update)
                  update notification_message m set taken_at = taken_at - ?
                  from locked where m.id = locked.id
                  """,
                  userId,
                  micros);
              return 0;
            });
  }

  /** Counts messages that were never sent. */
  public void count(long userId, long used) throws SQLException {
    int unused =
        on(
            connection ->
                update(
                    connection,
                    """
                    update notification_user
                    set used = ?, revision = revision + 1,
                        at_micros = (extract(epoch from clock_timestamp()) * 1000000)::bigint
                    where user_id = ?
                    """,
                    used,
                    userId));
  }

  /** Makes what is in the outbox old enough to be published again. */
  public void ageOutbox() throws SQLException {
    int unused =
        on(
            connection ->
                update(
                    connection,
                    """
                    update notification_outbox
                    set created_at = created_at - 3600000000, claimed_until = 0
                    where true
                    """));
  }

  public long outboxSize() throws SQLException {
    return number("select count(*) from notification_outbox");
  }

  /** Returns a number that every change of a limit or a count changes. */
  public long totalRevision() throws SQLException {
    return number("select count(*) * 1000000 + coalesce(sum(revision), 0) from notification_user");
  }

  private long number(String query) throws SQLException {
    return on(
        connection -> {
          try (PreparedStatement select = connection.prepareStatement(query)) {
            ResultSet row = select.executeQuery();
            row.next();
            return row.getLong(1);
          }
        });
  }

  private static int update(Connection connection, String statement, long... values)
      throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(statement)) {
      for (int i = 0; i < values.length; i++) {
        update.setLong(i + 1, values[i]);
      }
      return update.executeUpdate();
    }
  }

  /** Keeps everyone from reading the limits and counts until it is closed. */
  public Connection lockUsers() throws SQLException {
    Connection connection = database.connect();
    connection.setAutoCommit(false);
    try (PreparedStatement lock =
        connection.prepareStatement("lock table notification_user in access exclusive mode")) {
      lock.execute();
    }
    return connection;
  }
}
