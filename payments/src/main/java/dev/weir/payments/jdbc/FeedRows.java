package dev.weir.payments.jdbc;

import dev.weir.payments.FeedRecord;
import dev.weir.payments.Payment;
import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the records of feeds, many in one statement. */
final class FeedRows {
  private static final String COLUMNS =
      "line, payment_id, amount, currency, debtor_account, creditor_account, requested, reference,"
          + " config_name";

  private static final String RECORDS =
      """
      from (values (?::int)) as f(feed_no),
        unnest(?::bigint[], ?::text[], ?::numeric[], ?::text[], ?::text[], ?::text[], ?::bigint[],
               ?::text[], ?::text[]) with ordinality as n(%s, place)
      """
          .formatted(COLUMNS);

  /**
   * Not what the feed claims: that is decided when it is complete. The first of several records of
   * a payment counts, and {@link FeedReception} says why the order of payments matters too.
   */
  private static final String PAYMENTS =
      """
      insert into payment (state, attempts, feed_no, %s)
      select 1, 0, f.feed_no, %s
      %s
      where not exists (
        select from payment_claim c
        where c.feed_no = f.feed_no and c.payment_id = n.payment_id offset 0)
      order by n.place
      on conflict (payment_id) do nothing
      """
          .formatted(COLUMNS, COLUMNS, RECORDS);

  /** The first of several records of a feed is its claim. */
  private static final String CLAIMS =
      """
      insert into payment_claim (feed_no, %s)
      select f.feed_no, %s
      %s
      order by n.place
      on conflict (feed_no, payment_id) do nothing
      """
          .formatted(COLUMNS, COLUMNS, RECORDS);

  private FeedRows() {}

  /** Adds payments, except those that other records have. Returns how many. */
  static int insert(Connection connection, int feed, List<FeedRecord.Accepted> payments)
      throws SQLException {
    return write(connection, PAYMENTS, feed, payments);
  }

  /** Adds claims, except those that the feed has. Returns how many. */
  static int claim(Connection connection, int feed, List<FeedRecord.Accepted> payments)
      throws SQLException {
    return write(connection, CLAIMS, feed, payments);
  }

  private static int write(
      Connection connection, String statement, int feed, List<FeedRecord.Accepted> payments)
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
        statement,
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

  static long[] lines(List<? extends FeedRecord> records) {
    return records.stream().mapToLong(FeedRecord::line).toArray();
  }

  static String[] ids(List<FeedRecord.Accepted> payments) {
    return payments.stream().map(record -> record.payment().paymentId()).toArray(String[]::new);
  }
}
