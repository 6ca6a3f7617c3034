package dev.weir.store.jdbc.limits;

import dev.weir.limits.LeaseDecision;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Transactions;
import java.util.List;
import javax.sql.DataSource;

/** The tables of leases in a database, and all that differs between the kinds of databases. */
sealed interface LeaseTables permits PostgresqlLeases, OracleLeases {
  /**
   * Returns the tables of a database.
   *
   * @param contended called before each retry after a conflict with another node
   */
  static LeaseTables of(
      Dialect dialect, DataSource database, StoreClock clock, Runnable contended) {
    Transactions transactions = Transactions.failFast(dialect, database, contended);
    return switch (dialect) {
      case POSTGRESQL -> new PostgresqlLeases(transactions, clock);
      case ORACLE -> new OracleLeases(transactions, clock);
    };
  }

  /** Runs steps in one transaction, one after the other. */
  List<LeaseDecision> run(List<LeaseStep> steps);

  /** Returns the number of places held. */
  int current(String resource);
}
