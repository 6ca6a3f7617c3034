package dev.weir.payments.jdbc;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that the database was restored to an older state: then it lacks the call that this
 * process recorded last. Calls are never removed once their results are known. Thread-safe.
 */
final class PaymentHistory {
  private static final Logger log = LoggerFactory.getLogger(PaymentHistory.class);

  static final String REASON =
      "the database was restored to an older state and lacks calls of payments; some that it has as"
          + " open may have been made: compare them with the payment API, then resume";

  /**
   * Whether the database has a call, given by the id of the payment and the time, or none is given.
   */
  static final String HAS_CALL =
      """
      not exists (
        select from (values (?::text, ?::bigint)) known (payment_id, called_at)
        where known.payment_id is not null
          and not exists (select from payment_call k
                          where k.payment_id = known.payment_id
                            and k.called_at = known.called_at
                          offset 0))
      """;

  /** How long after a restore feeds that were lost with it are sent again. */
  private static final Duration MAX_RESEND = Duration.ofDays(7);

  /**
   * When it was last noticed that calls of the payment {@code p} may be lost; null if never. A feed
   * that came soon after may be one that was lost, and has been made in part.
   */
  static final String RESTORED_AT =
      """
      (select max(r.noticed_at) from payment_restore r
       where r.noticed_at + %d
         > (select f.created_at from payment_feed f where f.feed_no = p.feed_no))
      """
          .formatted(Micros.floor(MAX_RESEND));

  private static final String HOLD =
      """
      insert into payment_hold as h (feed_no, held_at, reason) values (0, %s, ?)
      on conflict (feed_no) do update set reason = excluded.reason where h.reason = ''
      """
          .formatted(Dialect.POSTGRESQL.now());

  private static final String NOTICE =
      "insert into payment_restore (noticed_at) values (%s) on conflict do nothing"
          .formatted(Dialect.POSTGRESQL.now());

  private final Transactions transactions;

  /** The last call with a known result, by this process; null before the first one. */
  private final AtomicReference<@Nullable KnownCall> last = new AtomicReference<>();

  /** A call that is recorded with its result. */
  record KnownCall(String paymentId, long calledAtMicros) {
    static Object id(@Nullable KnownCall call) {
      return Sql.orNull(call == null ? null : call.paymentId());
    }

    static Object time(@Nullable KnownCall call) {
      return Sql.orNull(call == null ? null : Long.valueOf(call.calledAtMicros()));
    }
  }

  PaymentHistory(Transactions transactions) {
    this.transactions = transactions;
  }

  @Nullable KnownCall last() {
    return last.get();
  }

  /**
   * Remembers a call.
   *
   * @param before the last one, which the database still had when it recorded this one
   */
  void recorded(@Nullable KnownCall before, KnownCall call) {
    last.compareAndSet(before, call);
  }

  /**
   * Holds all payments if the database has lost the last call.
   *
   * @throws StoreException if it has; asked again, the database knows that payments may have been
   *     made of which it has no call
   */
  void refuseIfRestored() {
    if (holdIfRestored()) {
      throw new StoreException(StoreException.Outcome.NONE, REASON);
    }
  }

  /** Holds all payments if the database has lost the last call; returns whether it has. */
  boolean holdIfRestored() {
    KnownCall known = last.get();
    if (known == null) {
      return false;
    }
    boolean isLost =
        transactions.write(
            connection -> {
              boolean isKept =
                  Sql.first(
                          connection,
                          row -> row.getBoolean(1),
                          "select " + HAS_CALL,
                          known.paymentId(),
                          known.calledAtMicros())
                      .orElseThrow();
              if (isKept) {
                return false;
              }
              Sql.update(connection, NOTICE);
              if (Sql.update(connection, HOLD, REASON) > 0) {
                FeedActions.recordHoldByWeir(connection);
              }
              return true;
            });
    // Only now: if the hold fails, the loss is noticed again.
    if (isLost && last.compareAndSet(known, null)) {
      log.error("All payments are held: {}", REASON);
    }
    return isLost;
  }
}
