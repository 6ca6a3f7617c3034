package dev.weir.store.jdbc;

import dev.weir.core.Micros;
import dev.weir.core.limits.FixedWindow;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.SlidingWindow;
import dev.weir.core.limits.TokenBucket;
import dev.weir.engine.limits.OnStoreFailure;
import dev.weir.engine.limits.Policy;
import dev.weir.engine.rules.Rule;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How a version of a rule is read from and written to {@code rule_version}. */
final class RuleRow {
  /** Rules that were not removed, at the version in force. */
  static final String SELECT =
      """
      select v.rule_id, v.version, v.name, v.algorithm, v.most, v.window_micros, v.is_aligned,
             v.refill_tokens, v.refill_micros, v.on_store_failure, v.is_active,
             f.created_at, v.created_at
      from rule r
      join rule_version v on v.rule_id = r.rule_id and v.version = r.version
      join rule_version f on f.rule_id = r.rule_id and f.version = 1
      where not r.is_removed
      """;

  private static final String INSERT =
      """
      insert into rule_version (rule_id, version, name, algorithm, most, window_micros, is_aligned,
                                refill_tokens, refill_micros, on_store_failure, is_active,
                                is_removed, created_at)
      values (?, ?, ?, ?, ?, ?::bigint, ?, ?::bigint, ?::bigint, ?, ?, ?, ?)
      """;

  private RuleRow() {}

  static Rule read(ResultSet row) throws SQLException {
    Policy<?> policy =
        new Policy<>(
            row.getString(3),
            limit(row),
            OnStoreFailure.valueOf(row.getString(10).toUpperCase(Locale.ROOT)));
    return new Rule(
        row.getLong(1),
        row.getInt(2),
        new Rule.Terms(policy, row.getBoolean(11)),
        Micros.instant(row.getLong(12)),
        Micros.instant(row.getLong(13)));
  }

  private static Limit limit(ResultSet row) throws SQLException {
    long most = row.getLong(5);
    String algorithm = row.getString(4);
    return switch (algorithm) {
      case "fixed_window" ->
          new FixedWindow(
              most,
              row.getLong(6),
              row.getBoolean(7) ? FixedWindow.Start.EPOCH : FixedWindow.Start.FIRST_USE);
      case "sliding_window" -> new SlidingWindow(most, row.getLong(6));
      case "token_bucket" -> new TokenBucket(most, row.getLong(8), row.getLong(9));
      default -> throw new SQLException("no algorithm is called " + algorithm);
    };
  }

  /** The columns that differ between kinds of limit. */
  private record Terms(
      String algorithm,
      @Nullable Long windowMicros,
      boolean isAligned,
      @Nullable Long refillTokens,
      @Nullable Long refillMicros) {
    static Terms of(Limit limit) {
      return switch (limit) {
        case FixedWindow window ->
            new Terms(
                "fixed_window",
                window.windowMicros(),
                window.start() == FixedWindow.Start.EPOCH,
                null,
                null);
        case SlidingWindow window ->
            new Terms("sliding_window", window.windowMicros(), false, null, null);
        case TokenBucket bucket ->
            new Terms("token_bucket", null, false, bucket.refillTokens(), bucket.refillMicros());
      };
    }
  }

  /** Appends a version, made at the rule's {@code updatedAt}. */
  static void insert(Connection connection, Rule rule, boolean isRemoved) throws SQLException {
    Policy<?> policy = rule.terms().policy();
    Terms terms = Terms.of(policy.limit());
    Sql.update(
        connection,
        INSERT,
        rule.id(),
        rule.version(),
        policy.name(),
        terms.algorithm(),
        policy.limit().most(),
        terms.windowMicros(),
        terms.isAligned(),
        terms.refillTokens(),
        terms.refillMicros(),
        policy.onStoreFailure().name().toLowerCase(Locale.ROOT),
        rule.terms().isActive(),
        isRemoved,
        Micros.ceil(rule.updatedAt()));
  }
}
