package dev.weir.payments.jdbc;

import dev.weir.payments.FeedRecord;
import dev.weir.payments.FeedState;
import dev.weir.payments.FeedStatus;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Reads the progress of feeds. */
final class FeedReads {
  /** In the order of their numbers. */
  private static final List<FeedState> STATES = List.of(FeedState.values());

  /** What is neither open nor failed or cancelled is paid. */
  private static final String STATUS =
      """
      select f.feed_id, f.config_name, f.state, f.read_count, f.accepted_count, f.repeated_count,
             f.rejected_count + coalesce(c.without_slot, 0) as rejected_count,
             coalesce(c.slots, 0) as assigned, coalesce(c.started, 0) as started,
             c.first_scheduled, c.last_scheduled,
             (select count(*) from payment p
              where p.feed_no = f.feed_no and p.state in (1, 2)) as open_count,
             u.failed, u.cancelled, u.not_started,
             exists (select from payment_hold h where h.feed_no in (0, f.feed_no)) as is_held,
             coalesce((select h.reason from payment_hold h where h.feed_no = 0), '') as held_reason
      from payment_feed f
      cross join lateral (
        select count(*) filter (where p.state = 4) as failed,
               count(*) filter (where p.state = 5) as cancelled,
               count(*) filter (
                 where p.state = 4 and p.attempts = 0
                   and (select starts_with(a.detail, '%s') from payment_audit a
                        where a.payment_id = p.payment_id
                        order by a.recorded_at desc limit 1)) as not_started
        from payment p where p.feed_no = f.feed_no and p.state in (4, 5)) u
      cross join lateral (
        select sum(c.slots) as slots, sum(c.slots) filter (where c.is_started) as started,
               sum(c.without_slot) as without_slot, min(c.first_scheduled) as first_scheduled,
               max(c.last_scheduled) as last_scheduled
        from payment_chunk c where c.feed_no = f.feed_no) c
      """
          .formatted(PaymentEnds.NOT_STARTED);

  private static final String ONE = STATUS + "where f.feed_id = ?";

  private static final String NEWEST =
      STATUS
          + """
          where f.feed_no < case ? when '' then 2147483647
            else (select a.feed_no from payment_feed a where a.feed_id = ?) end
          order by f.feed_no desc limit ?
          """;

  private static final String REJECTS =
      """
      select r.line, r.reason, r.payment_id, r.record
      from payment_reject r
      where r.feed_no = (select f.feed_no from payment_feed f where f.feed_id = ?) and r.line > ?
      order by r.line limit ?
      """;

  private final Transactions transactions;

  FeedReads(Transactions transactions) {
    this.transactions = transactions;
  }

  Optional<FeedStatus> status(String feedId) {
    return transactions.read(connection -> Sql.first(connection, FeedReads::status, ONE, feedId));
  }

  Optional<String> digest(String feedId) {
    return transactions.read(
        connection ->
            Sql.first(
                connection,
                row -> row.getString(1),
                "select digest from payment_feed where feed_id = ?",
                feedId));
  }

  List<FeedStatus> list(String after, int max) {
    return transactions.read(
        connection -> Sql.list(connection, FeedReads::status, NEWEST, after, after, max));
  }

  private static FeedStatus status(ResultSet row) throws SQLException {
    long open = row.getLong("open_count");
    long failed = row.getLong("failed");
    long cancelled = row.getLong("cancelled");
    long paid = row.getLong("accepted_count") - open - failed - cancelled;
    long notStarted = row.getLong("not_started");
    FeedState state = STATES.get(row.getInt("state"));
    // The payments of a chunk run before all of them are started.
    return new FeedStatus(
        row.getString("feed_id"),
        row.getString("config_name"),
        state == FeedState.STARTED && open == 0 ? FeedState.DONE : state,
        row.getBoolean("is_held"),
        row.getString("held_reason"),
        row.getLong("read_count"),
        row.getLong("repeated_count"),
        row.getLong("rejected_count"),
        row.getLong("assigned"),
        Math.max(row.getLong("started"), paid + failed) - notStarted,
        paid,
        failed,
        cancelled,
        PaymentRow.time(row, "first_scheduled"),
        PaymentRow.time(row, "last_scheduled"));
  }

  List<FeedRecord.Rejected> rejects(String feedId, long afterLine, int max) {
    return transactions.read(
        connection ->
            Sql.list(
                connection,
                row ->
                    new FeedRecord.Rejected(
                        row.getLong("line"),
                        row.getString("reason"),
                        row.getString("payment_id"),
                        row.getString("record")),
                REJECTS,
                feedId,
                afterLine,
                max));
  }
}
