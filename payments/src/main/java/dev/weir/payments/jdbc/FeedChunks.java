package dev.weir.payments.jdbc;

import dev.weir.internal.Micros;
import dev.weir.payments.FeedRecord;
import dev.weir.payments.PaymentStore.Chunk;
import dev.weir.payments.PaymentStore.FeedPayment;
import dev.weir.payments.PaymentStore.OpenPayment;
import dev.weir.payments.PaymentStore.Position;
import dev.weir.payments.PaymentStore.SlotSpan;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The chunks in which the payments of a feed are handed to Temporal. */
final class FeedChunks {
  /**
   * The feed is looked up first and not joined: only with one number is the order of the index of
   * open payments known to be the order of the lines, and a page costs what it contains.
   */
  private static final String NEXT =
      """
      select p.line, %s
      from payment p
      where p.feed_no = (select f.feed_no from payment_feed f where f.feed_id = ? and f.state > 0)
        and p.state in (1, 2) and p.line > ?
      order by p.line limit ?
      """
          .formatted(PaymentRow.CONTENT);

  /**
   * Those of a known chunk that may not be handed to Temporal yet. One that runs was, but to a
   * Temporal that may have lost it.
   */
  private static final String AGAIN =
      """
      select p.line, %s
      from payment p
      where p.feed_no = (select f.feed_no from payment_feed f where f.feed_id = ?)
        and p.state in (1, 2) and p.line > ? and p.line <= ?
      order by p.line
      """
          .formatted(PaymentRow.CONTENT);

  private static final String KNOWN =
      """
      select c.last_line, c.is_started
      from payment_chunk c
      where c.feed_no = (select f.feed_no from payment_feed f where f.feed_id = ?)
        and c.after_line = ?
      """;

  private static final String ASSIGN =
      """
      insert into payment_chunk (feed_no, after_line, last_line, slots, without_slot,
                                 first_scheduled, last_scheduled, is_started)
      values (?, ?, ?, ?, 0, ?, ?, false)
      on conflict (feed_no, after_line) do nothing
      """;

  /**
   * Nothing was done for them, so a later feed may contain them again. They are found by their ids,
   * see {@link PaymentRow#IS_OPEN}.
   */
  private static final String REMOVE =
      """
      delete from payment where feed_no = ? and payment_id = any(?) and state + 0 = 1
      returning payment_id
      """;

  private static final String COUNT_REMOVED =
      """
      with chunk as (
        update payment_chunk set without_slot = ? where feed_no = ? and after_line = ?)
      update payment_feed set accepted_count = accepted_count - ? where feed_no = ?
      """;

  private static final String CANCELLED =
      """
      select p.payment_id
      from payment p
      where p.feed_no = (select f.feed_no from payment_feed f where f.feed_id = ?)
        and p.state = 5 and p.line > ? and p.line <= ?
      """;

  private static final String START =
      """
      update payment_chunk c set is_started = true
      where c.feed_no = (select f.feed_no from payment_feed f where f.feed_id = ?)
        and c.after_line = ? and not c.is_started
      """;

  /** Chunks are started in order, so the first that is not started is the end of the others. */
  private static final String STARTED_UNTIL =
      """
      select coalesce(
        (select min(c.after_line) from payment_chunk c
         where c.feed_no = f.feed_no and not c.is_started),
        (select max(c.last_line) from payment_chunk c where c.feed_no = f.feed_no), 0)
      from payment_feed f where f.feed_id = ?
      """;

  /**
   * Chunk by chunk, so that a page reads no more than it needs. A payment goes by the time of its
   * slot; if that is not in this database, by the latest of its chunk.
   */
  private static final String OPEN =
      """
      select p.feed_no, p.line, %s
      from payment_feed f
      join payment_chunk c on c.feed_no = f.feed_no
      cross join lateral (
        select p.*, (select s.scheduled from slot s where s.event_id = p.payment_id) as scheduled
        from payment p
        where p.feed_no = c.feed_no and p.state in (1, 2) and p.line <= c.last_line
          and p.line > greatest(c.after_line, case when c.feed_no = ? then ?::bigint else 0 end)
        order by p.line) p
      where f.state in (1, 2) and f.feed_no >= ? and c.is_started and c.first_scheduled < ?
        and coalesce(p.scheduled, c.last_scheduled) >= ?
        and coalesce(p.scheduled, c.last_scheduled) < ?
        and (? or %s)
      order by c.feed_no, c.after_line, p.line limit ?
      """
          .formatted(PaymentRow.CONTENT, PaymentHolds.NOT_HELD);

  /** The slots of a node may be in another database; then none is found here. */
  private static final String CANCELLED_WITH_SLOTS =
      """
      select p.payment_id
      from payment_feed f
      cross join lateral (
        select o.payment_id from payment o where o.feed_no = f.feed_no and o.state = 5 offset 0) p
      where f.state in (1, 2)
        and (select s.state from slot s where s.event_id = p.payment_id) = 0
      limit ?
      """;

  private static final String IS_DONE =
      """
      f.state = 2
        and not exists (select from payment p where p.feed_no = f.feed_no and p.state in (1, 2)
                        offset 0)
      """;

  /** Whoever opens a payment of a feed again locks the feed as well. */
  private static final String LOCK_DONE =
      "select f.feed_no from payment_feed f where " + IS_DONE + " order by f.feed_no for update";

  /** Looks again, because a payment may have been opened before the feed was locked. */
  private static final String CLOSE =
      "update payment_feed f set state = 3 where f.feed_no = any(?::int[]) and " + IS_DONE;

  private final Transactions transactions;

  FeedChunks(Transactions transactions) {
    this.transactions = transactions;
  }

  private record Known(long lastLine, boolean isStarted) {}

  Optional<Chunk> chunk(String feedId, long afterLine, int max) {
    return transactions.snapshot(
        connection -> {
          Optional<Known> known = known(connection, feedId, afterLine);
          if (known.isPresent()) {
            long lastLine = known.get().lastLine();
            List<FeedPayment> again =
                Sql.list(connection, FeedChunks::payment, AGAIN, feedId, afterLine, lastLine);
            return Optional.of(new Chunk(afterLine, lastLine, known.get().isStarted(), again));
          }
          List<FeedPayment> next =
              Sql.list(connection, FeedChunks::payment, NEXT, feedId, afterLine, max);
          return next.isEmpty()
              ? Optional.empty()
              : Optional.of(new Chunk(afterLine, next.getLast().line(), false, next));
        });
  }

  private static Optional<Known> known(Connection connection, String feedId, long afterLine)
      throws SQLException {
    return Sql.first(
        connection, row -> new Known(row.getLong(1), row.getBoolean(2)), KNOWN, feedId, afterLine);
  }

  private static FeedPayment payment(ResultSet row) throws SQLException {
    return new FeedPayment(row.getLong("line"), PaymentRow.payment(row));
  }

  void assigned(String feedId, Chunk chunk, SlotSpan slots, List<FeedRecord.Rejected> withoutSlot) {
    transactions.write(
        connection -> {
          int feed = number(connection, feedId);
          int added =
              Sql.update(
                  connection,
                  ASSIGN,
                  feed,
                  chunk.afterLine(),
                  chunk.lastLine(),
                  slots.count(),
                  slots.count() == 0 ? null : Micros.ceil(slots.first()),
                  slots.count() == 0 ? null : Micros.ceil(slots.last()));
          if (added == 0) {
            requireSameLines(connection, feedId, chunk);
          } else if (!withoutSlot.isEmpty()) {
            remove(connection, feed, chunk, withoutSlot);
          }
          return added;
        });
  }

  /**
   * A worker that was taken for dead, and the one in its place, may have read different payments if
   * one of them was cancelled in between. The first to get here decides.
   */
  private static void requireSameLines(Connection connection, String feedId, Chunk chunk)
      throws SQLException {
    Known known = known(connection, feedId, chunk.afterLine()).orElseThrow();
    if (known.lastLine() != chunk.lastLine()) {
      throw new IllegalStateException(
          "the chunk after line %d of feed %s ends at line %d, not %d"
              .formatted(chunk.afterLine(), feedId, known.lastLine(), chunk.lastLine()));
    }
  }

  private static void remove(
      Connection connection, int feed, Chunk chunk, List<FeedRecord.Rejected> withoutSlot)
      throws SQLException {
    // One that was cancelled meanwhile stays cancelled.
    Set<String> removed =
        new HashSet<>(
            Sql.list(
                connection,
                row -> row.getString(1),
                REMOVE,
                feed,
                withoutSlot.stream().map(FeedRecord.Rejected::paymentId).toArray(String[]::new)));
    FeedReception.reject(
        connection,
        feed,
        withoutSlot.stream().filter(record -> removed.contains(record.paymentId())).toList());
    Sql.update(
        connection, COUNT_REMOVED, removed.size(), feed, chunk.afterLine(), removed.size(), feed);
  }

  private static int number(Connection connection, String feedId) throws SQLException {
    return Sql.first(
            connection,
            row -> row.getInt(1),
            "select feed_no from payment_feed where feed_id = ?",
            feedId)
        .orElseThrow(() -> new IllegalArgumentException("there is no feed " + feedId));
  }

  List<String> cancelled(String feedId, Chunk chunk) {
    return transactions.read(
        connection ->
            Sql.list(
                connection,
                row -> row.getString(1),
                CANCELLED,
                feedId,
                chunk.afterLine(),
                chunk.lastLine()));
  }

  void started(String feedId, long afterLine) {
    transactions.autoCommit(connection -> Sql.update(connection, START, feedId, afterLine));
  }

  void allStarted(String feedId) {
    transactions.autoCommit(
        connection ->
            Sql.update(
                connection,
                "update payment_feed set state = 2 where feed_id = ? and state = 1",
                feedId));
  }

  long startedUntil(String feedId) {
    return transactions.read(
        connection ->
            Sql.first(connection, row -> row.getLong(1), STARTED_UNTIL, feedId).orElse(0L));
  }

  List<String> starting(int max) {
    return transactions.read(
        connection ->
            Sql.list(
                connection,
                row -> row.getString(1),
                "select feed_id from payment_feed where state = 1 order by feed_no limit ?",
                max));
  }

  List<OpenPayment> open(
      Instant from, Instant before, boolean isHeldIncluded, Position after, int max) {
    return transactions.read(
        connection ->
            Sql.list(
                connection,
                row ->
                    new OpenPayment(
                        new Position(row.getInt("feed_no"), row.getLong("line")),
                        PaymentRow.payment(row)),
                OPEN,
                after.feedNumber(),
                after.line(),
                after.feedNumber(),
                Micros.clamped(before),
                Micros.clamped(from),
                Micros.clamped(before),
                isHeldIncluded,
                max));
  }

  List<String> cancelledWithSlots(int max) {
    return transactions.read(
        connection -> Sql.list(connection, row -> row.getString(1), CANCELLED_WITH_SLOTS, max));
  }

  void closeFeeds() {
    boolean unused =
        transactions.write(
            connection -> {
              List<Integer> done = Sql.list(connection, row -> row.getInt(1), LOCK_DONE);
              return !done.isEmpty()
                  && Sql.update(
                          connection,
                          CLOSE,
                          (Object) done.stream().mapToInt(Integer::intValue).toArray())
                      > 0;
            });
  }
}
