package dev.weir.store.jdbc.payments;

import dev.weir.engine.payments.FeedRecord;
import dev.weir.engine.payments.Payment;
import dev.weir.engine.payments.PaymentStore.Reception;
import dev.weir.engine.payments.ReceptionLostException;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Receives the records of feeds. */
final class FeedReception {
  /** Rows that are removed in one transaction. */
  private static final int PORTION = 10_000;

  private static final String OPEN =
      """
      insert into payment_feed as f (feed_id, config_name, state, reception, created_at,
                                     read_count, accepted_count, repeated_count, rejected_count)
      values (?, ?, 0, 1, %s, 0, 0, 0, 0)
      on conflict (feed_id) do update
      set config_name = excluded.config_name, reception = f.reception + 1,
          read_count = 0, accepted_count = 0, repeated_count = 0, rejected_count = 0
      where f.state = 0
      returning reception
      """
          .formatted(Dialect.POSTGRESQL.now());

  private static final String PAYMENTS =
      """
      insert into payment (feed_no, state, attempts, line, payment_id, amount, currency,
                           debtor_account, creditor_account, requested, reference, config_name)
      select ?, 1, 0, unnest(?::bigint[]), unnest(?::text[]), unnest(?::numeric[]),
             unnest(?::text[]), unnest(?::text[]), unnest(?::text[]), unnest(?::bigint[]),
             unnest(?::text[]), unnest(?::text[])
      on conflict (payment_id) do nothing
      """;

  /** The payments of other records that have the ids of these. */
  private static final String KNOWN =
      """
      select n.line as new_line, %s
      from unnest(?::bigint[], ?::text[]) as n(line, id)
      join payment p on p.payment_id = n.id
      where p.feed_no <> ? or p.line <> n.line
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
      set read_count = read_count + ?, accepted_count = accepted_count + ?,
          repeated_count = repeated_count + ?, rejected_count = rejected_count + ?
      where feed_no = ?
      """;

  private final Transactions transactions;

  FeedReception(Transactions transactions) {
    this.transactions = transactions;
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
    number.ifPresent(reception -> discard(new Reception(feedId, reception)));
    return number;
  }

  /** Removes what an earlier reception has added. It can add nothing more. */
  private void discard(Reception reception) {
    for (String table : List.of("payment", "payment_reject")) {
      String remove =
          """
          delete from %s where ctid in (
            select t.ctid from %s t where t.feed_no = ? %s order by t.line limit %d)
          """
              .formatted(
                  table, table, table.equals("payment") ? "and t.state in (1, 2)" : "", PORTION);
      int removed;
      do {
        removed =
            transactions.write(
                connection -> Sql.update(connection, remove, lock(connection, reception)));
      } while (removed == PORTION);
    }
  }

  /** Locks the feed of a reception and returns its number. */
  private static int lock(Connection connection, Reception reception) throws SQLException {
    return Sql.first(
            connection,
            row -> row.getInt(1),
            "select feed_no from payment_feed"
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
    transactions.write(
        connection -> {
          int feed = lock(connection, reception);
          int inserted = payments.isEmpty() ? 0 : insert(connection, feed, payments);
          List<FeedRecord.Rejected> rejects = new ArrayList<>(rejected);
          if (inserted < payments.size()) {
            Set<Integer> incomplete = FeedTakeOver.incomplete(connection, feed, ids(payments));
            if (!incomplete.isEmpty()) {
              inserted = insertAndTakeOver(connection, reception, payments, incomplete);
            }
            rejects.addAll(contradictions(connection, feed, payments));
          }
          reject(connection, feed, rejects);
          int repeated = records.size() - inserted - rejects.size();
          return Sql.update(
              connection, COUNT, records.size(), inserted, repeated, rejects.size(), feed);
        });
  }

  /** Begins again, with the locks of all these feeds, and takes their payments. */
  private static int insertAndTakeOver(
      Connection connection,
      Reception reception,
      List<FeedRecord.Accepted> payments,
      Set<Integer> incomplete)
      throws SQLException {
    connection.rollback();
    Set<Integer> all = new HashSet<>(incomplete);
    all.add(number(connection, reception));
    FeedTakeOver.lock(connection, all);
    int feed = lock(connection, reception);
    FeedTakeOver.take(connection, incomplete, ids(payments));
    int inserted = insert(connection, feed, payments);
    if (inserted < payments.size()
        && !FeedTakeOver.incomplete(connection, feed, ids(payments)).isEmpty()) {
      throw new SQLException("yet another feed has added one of them", Transactions.TRY_AGAIN);
    }
    return inserted;
  }

  private static int number(Connection connection, Reception reception) throws SQLException {
    return Sql.first(
            connection,
            row -> row.getInt(1),
            "select feed_no from payment_feed where feed_id = ?",
            reception.feedId())
        .orElseThrow(() -> new ReceptionLostException(reception.feedId()));
  }

  private static int insert(Connection connection, int feed, List<FeedRecord.Accepted> payments)
      throws SQLException {
    int size = payments.size();
    String[] amounts = new String[size];
    String[] currencies = new String[size];
    String[] debtors = new String[size];
    String[] creditors = new String[size];
    @Nullable Long[] requested = new @Nullable Long[size];
    String[] references = new String[size];
    String[] configs = new String[size];
    for (int i = 0; i < size; i++) {
      Payment payment = payments.get(i).payment();
      amounts[i] = payment.amount().toPlainString();
      currencies[i] = payment.currency();
      debtors[i] = payment.debtorAccount();
      creditors[i] = payment.creditorAccount();
      requested[i] = PaymentRow.micros(payment.requestedTime());
      references[i] = payment.reference();
      configs[i] = payment.configName();
    }
    return Sql.update(
        connection,
        PAYMENTS,
        feed,
        lines(payments),
        ids(payments),
        amounts,
        currencies,
        debtors,
        creditors,
        requested,
        references,
        configs);
  }

  /** Returns the records that describe a known payment differently. */
  private static List<FeedRecord.Rejected> contradictions(
      Connection connection, int feed, List<FeedRecord.Accepted> payments) throws SQLException {
    Map<Long, Payment> known = new HashMap<>();
    Sql.list(
        connection,
        row -> known.put(row.getLong("new_line"), PaymentRow.payment(row)),
        KNOWN,
        lines(payments),
        ids(payments),
        feed);
    List<FeedRecord.Rejected> contradictions = new ArrayList<>();
    for (FeedRecord.Accepted accepted : payments) {
      Payment payment = accepted.payment();
      Payment other = known.get(accepted.line());
      if (other != null && !payment.sameContent(other)) {
        contradictions.add(
            new FeedRecord.Rejected(
                accepted.line(),
                "paymentId is that of another payment, with another "
                    + String.join(", ", payment.differences(other)),
                payment.paymentId(),
                payment.toRecord()));
      }
    }
    return contradictions;
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
        lines(rejects),
        rejects.stream().map(FeedRecord.Rejected::paymentId).toArray(String[]::new),
        rejects.stream().map(FeedRecord.Rejected::reason).toArray(String[]::new),
        rejects.stream().map(FeedRecord.Rejected::record).toArray(String[]::new));
  }

  /** Completes a reception. Completing it again has no effect. */
  void complete(Reception reception) {
    int changed =
        transactions.write(
            connection ->
                Sql.update(
                    connection,
                    "update payment_feed set state = greatest(state, 1)"
                        + " where feed_id = ? and reception = ?",
                    reception.feedId(),
                    reception.number()));
    if (changed == 0) {
      throw new ReceptionLostException(reception.feedId());
    }
  }

  private static long[] lines(List<? extends FeedRecord> records) {
    return records.stream().mapToLong(FeedRecord::line).toArray();
  }

  private static String[] ids(List<FeedRecord.Accepted> payments) {
    return payments.stream().map(record -> record.payment().paymentId()).toArray(String[]::new);
  }
}
