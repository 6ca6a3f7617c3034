package dev.weir.payments.jdbc;

import dev.weir.internal.Micros;
import dev.weir.payments.FeedRecord;
import dev.weir.payments.Payment;
import dev.weir.payments.PaymentStore.Reception;
import dev.weir.payments.ReceptionLostException;
import dev.weir.payments.TooManyRejectsException;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Receives the records of feeds. */
final class FeedReception {
  /** Rows that are removed in one transaction. */
  private static final int PORTION = 10_000;

  /** Portions that are removed from a reception that was given up, before others get a turn. */
  private static final int MAX_PORTIONS = 10;

  private static final String UNIQUE_VIOLATION = "23505";

  /**
   * A feed with a larger share of repeated records has one in most portions, and copying those
   * fails.
   */
  private static final int COPIED_PER_REPEATED = 4_000;

  /**
   * A transaction that adds a payment waits for another one that adds the same, so all add them in
   * the order of their ids. In the order of lines, feeds that contain the same payments in
   * different orders would wait for each other. The sort is stable: records of one payment keep the
   * order of their lines.
   */
  private static final Comparator<FeedRecord.Accepted> BY_PAYMENT =
      Comparator.comparing(record -> record.payment().paymentId());

  /** Numbers of receptions rise with the time, so that those of a feed that was removed are old. */
  private static final String OPEN =
      """
      insert into payment_feed as f (feed_id, config_name, state, reception, created_at,
                                     received_at, read_count, accepted_count, repeated_count,
                                     rejected_count, digest)
      values (?, ?, 0, %1$s, %1$s, %1$s, 0, 0, 0, 0, '')
      on conflict (feed_id) do update
      set config_name = excluded.config_name,
          reception = greatest(f.reception + 1, excluded.reception),
          received_at = excluded.received_at,
          read_count = 0, accepted_count = 0, repeated_count = 0, rejected_count = 0
      where f.state = 0
      returning reception
      """
          .formatted(Dialect.POSTGRESQL.now());

  /**
   * The payments that have the ids of records: those of feeds that are complete, those that have
   * ended, and those of the same feed.
   */
  private static final String KNOWN =
      """
      select n.line as new_line, p.feed_no, p.line, %s
      from unnest(?::bigint[], ?::text[]) as n(line, id)
      cross join lateral (select * from payment o where o.payment_id = n.id offset 0) p
      %s
      where f.feed_no = ? or f.state > 0 or p.state + 0 > 2
      """
          .formatted(PaymentRow.CONTENT, PaymentRow.FEED);

  private static final String CLAIMED =
      """
      select n.line as new_line, p.feed_no, p.line, %s
      from unnest(?::bigint[], ?::text[]) as n(line, id)
      cross join lateral (
        select * from payment_claim c
        where c.feed_no = ? and c.payment_id = n.id offset 0) p
      """
          .formatted(PaymentRow.CONTENT);

  private static final String REJECTS =
      """
      insert into payment_reject (feed_no, line, payment_id, reason, record)
      select ?, unnest(?::bigint[]), unnest(?::text[]), unnest(?::text[]), unnest(?::text[])
      on conflict (feed_no, line) do nothing
      """;

  private static final String COUNT =
      """
      update payment_feed
      set received_at = %s, read_count = read_count + ?, accepted_count = accepted_count + ?,
          repeated_count = repeated_count + ?, rejected_count = rejected_count + ?
      where feed_no = ?
      returning rejected_count
      """
          .formatted(Dialect.POSTGRESQL.now());

  /** A feed whose records are removed has read none. */
  private static final String GIVE_UP =
      """
      update payment_feed set reception = reception + 1
      where feed_no = (
        select f.feed_no from payment_feed f
        where f.state = 0 and f.read_count > 0 and f.received_at < %s - ?
        order by f.received_at limit 1 for update skip locked)
      returning feed_id, reception
      """
          .formatted(Dialect.POSTGRESQL.now());

  private static final String RESET =
      """
      update payment_feed
      set read_count = 0, accepted_count = 0, repeated_count = 0, rejected_count = 0
      where feed_no = ?
      """;

  private static final String REMOVE =
      """
      delete from payment_feed f
      where f.feed_no = ? and not exists (select from payment_hold h where h.feed_no = f.feed_no)
      """;

  /** A held feed stays, without records: its hold is for when it is sent again, too. */
  private static final String EMPTY =
      """
      update payment_feed
      set reception = reception + 1,
          read_count = 0, accepted_count = 0, repeated_count = 0, rejected_count = 0
      where feed_no = ?
      """;

  private final Transactions transactions;
  private final int maxRejects;

  FeedReception(Transactions transactions, int maxRejects) {
    this.transactions = transactions;
    this.maxRejects = maxRejects;
  }

  /** Opens a feed. Returns the number of its reception; empty if it was received earlier. */
  OptionalLong open(String feedId, String configName) {
    OptionalLong number =
        transactions
            .write(
                connection ->
                    Sql.first(connection, row -> row.getLong(1), OPEN, feedId, configName))
            .map(OptionalLong::of)
            .orElse(OptionalLong.empty());
    number.ifPresent(reception -> discard(new Reception(feedId, reception), Integer.MAX_VALUE));
    return number;
  }

  /** Removes a feed whose reception is not completed; of one that is held, only its records. */
  void remove(Reception reception) {
    discard(reception, Integer.MAX_VALUE);
    transactions.write(
        connection -> {
          int number = lock(connection, reception);
          return Sql.update(connection, REMOVE, number) > 0
              ? 1
              : Sql.update(connection, EMPTY, number);
        });
  }

  /** Returns false if no reception was given up. */
  boolean discardGivenUp(Duration silence) {
    Optional<Reception> givenUp =
        transactions.write(
            connection ->
                Sql.first(
                    connection,
                    row -> new Reception(row.getString(1), row.getLong(2)),
                    GIVE_UP,
                    Micros.floor(silence)));
    if (givenUp.isEmpty()) {
      return false;
    }
    try {
      if (discard(givenUp.get(), MAX_PORTIONS)) {
        transactions.write(
            connection -> Sql.update(connection, RESET, lock(connection, givenUp.get())));
      }
    } catch (ReceptionLostException e) {
      // It is received again, and that removes the rest.
    }
    return true;
  }

  /**
   * Removes what an earlier reception has added. It can add nothing more. Payments that have calls
   * are kept: their feed was complete before the database was restored to a state of its reception.
   *
   * @return false if there may be more
   */
  private boolean discard(Reception reception, int maxPortions) {
    int portions = 0;
    for (String rows :
        List.of(
            "payment t where t.feed_no = ? and t.state in (1, 2) and not exists (select from"
                + " payment_call c where c.payment_id = t.payment_id offset 0) order by t.line",
            "payment_reject t where t.feed_no = ? order by t.line",
            "payment_claim t where t.feed_no = ? order by t.payment_id")) {
      String table = rows.substring(0, rows.indexOf(' '));
      String remove =
          "delete from %s where ctid = any(array(select t.ctid from %s limit %s))"
              .formatted(table, rows, PORTION);
      int removed;
      do {
        if (portions++ == maxPortions) {
          return false;
        }
        removed =
            transactions.write(
                connection -> Sql.update(connection, remove, lock(connection, reception)));
      } while (removed == PORTION);
    }
    return true;
  }

  /** Locks the feed of a reception and returns its number. */
  private static int lock(Connection connection, Reception reception) throws SQLException {
    return lockFeed(connection, reception).number();
  }

  /** A feed that is locked, and its counts so far. */
  private record Locked(int number, long read, long repeated) {
    boolean repeatsFew() {
      return repeated * COPIED_PER_REPEATED <= read;
    }
  }

  private static Locked lockFeed(Connection connection, Reception reception) throws SQLException {
    return Sql.first(
            connection,
            row -> new Locked(row.getInt(1), row.getLong(2), row.getLong(3)),
            "select feed_no, read_count, repeated_count from payment_feed"
                + " where feed_id = ? and reception = ? and state = 0 for update",
            reception.feedId(),
            reception.number())
        .orElseThrow(() -> new ReceptionLostException(reception.feedId()));
  }

  void add(Reception reception, List<FeedRecord> records) {
    List<FeedRecord.Accepted> payments = new ArrayList<>();
    List<FeedRecord.Rejected> rejected = new ArrayList<>();
    for (FeedRecord record : records) {
      switch (record) {
        case FeedRecord.Accepted accepted -> payments.add(accepted);
        case FeedRecord.Rejected reject -> rejected.add(reject);
      }
    }
    payments.sort(BY_PAYMENT);
    transactions.write(
        connection -> {
          Locked locked = lockFeed(connection, reception);
          int feed = locked.number();
          int accepted = insert(connection, locked, payments);
          List<FeedRecord.Rejected> rejects = new ArrayList<>(rejected);
          int claimed = 0;
          if (accepted < payments.size()) {
            Compared known = compare(connection, KNOWN, feed, payments, rejects);
            accepted = known.own();
            if (!known.unknown().isEmpty()) {
              claimed = FeedRows.claim(connection, feed, known.unknown());
              Compared unused = compare(connection, CLAIMED, feed, known.unknown(), rejects);
            }
          }
          reject(connection, feed, rejects);
          int repeated = records.size() - accepted - claimed - rejects.size();
          return count(connection, feed, records.size(), accepted, repeated, rejects.size());
        });
  }

  /**
   * Adds payments, except those that other records have. Returns how many.
   *
   * <p>Most feeds contain only new payments, which are copied. If one of them is known after all,
   * the copy leaves nothing, and all are inserted.
   */
  private static int insert(Connection connection, Locked feed, List<FeedRecord.Accepted> payments)
      throws SQLException {
    if (payments.isEmpty()) {
      return 0;
    }
    if (feed.repeatsFew()
        && FeedCopy.isPossible(connection)
        && !hasClaims(connection, feed.number())) {
      Savepoint before = connection.setSavepoint();
      try {
        FeedCopy.write(connection, feed.number(), payments);
        return payments.size();
      } catch (SQLException e) {
        if (!UNIQUE_VIOLATION.equals(e.getSQLState())) {
          throw e;
        }
        connection.rollback(before);
      }
    }
    return FeedRows.insert(connection, feed.number(), payments);
  }

  /** In a statement of its own, which sees what was committed before the feed was locked. */
  private static boolean hasClaims(Connection connection, int feed) throws SQLException {
    return Sql.first(
            connection,
            row -> row.getBoolean(1),
            "select exists (select from payment_claim where feed_no = ?)",
            feed)
        .orElseThrow();
  }

  private long count(
      Connection connection, int feed, int read, int accepted, int repeated, int rejected)
      throws SQLException {
    long allRejected =
        Sql.first(
                connection, row -> row.getLong(1), COUNT, read, accepted, repeated, rejected, feed)
            .orElseThrow();
    if (allRejected > maxRejects) {
      throw new TooManyRejectsException(maxRejects);
    }
    return allRejected;
  }

  /**
   * Records that were compared with what is known.
   *
   * @param unknown those for which there is no other one
   * @param own how many have payments of their own: new ones, and those that were kept
   */
  private record Compared(List<FeedRecord.Accepted> unknown, int own) {}

  /** What is known of the payment of a record, and whether it is from the record itself. */
  private record Other(Payment payment, boolean isOfRecord) {}

  /**
   * Adds to the rejects the records that describe a payment differently than another one.
   *
   * @param query finds the others
   */
  private static Compared compare(
      Connection connection,
      String query,
      int feed,
      List<FeedRecord.Accepted> payments,
      List<FeedRecord.Rejected> rejects)
      throws SQLException {
    Map<Long, Other> others = new HashMap<>();
    Sql.list(
        connection,
        row -> {
          long line = row.getLong("new_line");
          boolean isOfRecord = row.getInt("feed_no") == feed && row.getLong("line") == line;
          return others.put(line, new Other(PaymentRow.payment(row), isOfRecord));
        },
        query,
        FeedRows.lines(payments),
        FeedRows.ids(payments),
        feed);
    List<FeedRecord.Accepted> unknown = new ArrayList<>();
    int own = 0;
    for (FeedRecord.Accepted accepted : payments) {
      Other other = others.get(accepted.line());
      if (other == null) {
        unknown.add(accepted);
      } else if (!accepted.payment().sameContent(other.payment())) {
        rejects.add(contradiction(accepted, other.payment()));
      } else if (other.isOfRecord()) {
        own++;
      }
    }
    return new Compared(unknown, own);
  }

  /** Returns the reject of a record that describes another payment differently. */
  static FeedRecord.Rejected contradiction(FeedRecord.Accepted record, Payment other) {
    Payment payment = record.payment();
    return new FeedRecord.Rejected(
        record.line(),
        "paymentId is that of another payment, with another "
            + String.join(", ", payment.differences(other)),
        payment.paymentId(),
        payment.toRecord());
  }

  static void reject(Connection connection, int feed, List<FeedRecord.Rejected> rejects)
      throws SQLException {
    if (rejects.isEmpty()) {
      return;
    }
    Sql.update(
        connection,
        REJECTS,
        feed,
        FeedRows.lines(rejects),
        rejects.stream().map(FeedRecord.Rejected::paymentId).toArray(String[]::new),
        rejects.stream().map(FeedRecord.Rejected::reason).toArray(String[]::new),
        rejects.stream().map(FeedRecord.Rejected::record).toArray(String[]::new));
  }

  /** Completes a reception and settles its claims. Completing it again has no effect. */
  void complete(Reception reception, String digest) {
    transactions.write(
        connection -> {
          int feed = current(connection, reception).number();
          Integer[] holders = FeedClaims.lock(connection, feed);
          // It may have been opened again, or completed, before it was locked.
          if (current(connection, reception).state() == 0) {
            FeedClaims.Settled settled = FeedClaims.settle(connection, feed, holders);
            count(connection, feed, 0, settled.accepted(), settled.repeated(), settled.rejected());
            Sql.update(
                connection,
                "update payment_feed set state = 1, digest = ? where feed_no = ?",
                digest,
                feed);
          }
          return feed;
        });
  }

  private record Current(int number, int state) {}

  private static Current current(Connection connection, Reception reception) throws SQLException {
    return Sql.first(
            connection,
            row -> new Current(row.getInt(1), row.getInt(2)),
            "select feed_no, state from payment_feed where feed_id = ? and reception = ?",
            reception.feedId(),
            reception.number())
        .orElseThrow(() -> new ReceptionLostException(reception.feedId()));
  }
}
