package dev.weir.store.jdbc.limits;

import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import dev.weir.limits.Usage;
import dev.weir.store.jdbc.OraclePool;
import dev.weir.store.jdbc.PostgresqlPool;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Transactions;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** The tables of limits in a database, and all that differs between the kinds of databases. */
sealed interface LimitTables permits PostgresqlLimits, OracleLimits {
  /**
   * Returns the tables of a database.
   *
   * @param contended called before each retry after a conflict with another node
   */
  static LimitTables of(
      Dialect dialect, DataSource database, StoreClock clock, Runnable contended) {
    Transactions transactions = Transactions.failFast(dialect, database, contended);
    return switch (dialect) {
      case POSTGRESQL -> new PostgresqlLimits(transactions, clock);
      case ORACLE -> new OracleLimits(transactions, clock);
    };
  }

  /** Creates or updates the tables of a database. */
  static void migrate(DataSource database) {
    switch (Dialect.of(database)) {
      case POSTGRESQL -> PostgresqlPool.migrate(database);
      case ORACLE -> OraclePool.migrate(database);
    }
  }

  /**
   * Runs steps in one transaction, one after the other.
   *
   * @param lookFirst whether to decide without locks first, which pays if all steps are likely to
   *     be refused
   */
  LimitCall.CallResult run(List<LimitStep> steps, boolean lookFirst);

  /** A usage, and the version of the policy that has counted it. */
  record Counted(Usage usage, int countedBy) {
    static final Counted NONE = new Counted(Usage.NONE, Policy.UNORDERED);
  }

  /** Usages in the order in which they were asked for, and the time at which they were read. */
  record Reading(long nowMicros, List<Counted> usages) {}

  Reading read(List<LimitRequest> parts);

  /** Returns the result of a request that was granted; empty if its id is unknown. */
  Optional<AcquireResult> recall(AcquireRequest request);

  void forget(Policy policy, String key);

  /** Settles the usages of all keys of a policy, some rows at a time. */
  void settle(Policy policy);

  void settle(Policy policy, String key);
}
