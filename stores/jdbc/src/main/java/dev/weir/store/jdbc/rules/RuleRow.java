package dev.weir.store.jdbc.rules;

import dev.weir.core.Micros;
import dev.weir.core.limits.Concurrency;
import dev.weir.core.limits.FixedWindow;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.SlidingWindow;
import dev.weir.core.limits.TokenBucket;
import dev.weir.engine.limits.OnStoreFailure;
import dev.weir.engine.register.EntryVersion;
import dev.weir.engine.rules.Coverage;
import dev.weir.engine.rules.KeyPart;
import dev.weir.engine.rules.PathPattern;
import dev.weir.engine.rules.Quota;
import dev.weir.engine.rules.Rule;
import dev.weir.store.jdbc.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads versions of rules from {@code rule_version} and writes them. */
final class RuleRow {
  private static final String INSERT =
      """
      insert into rule_version (rule_id, version, name, algorithm, max_permits, window_micros,
                                is_aligned, refill_tokens, refill_micros, lease_micros,
                                path_pattern, methods, key_by, queue_enabled, max_queue_size,
                                delay_millis, priority, mode, on_store_failure, is_active,
                                is_removed, changed_by, created_at)
      values (?, ?, ?, ?, ?, ?::bigint, ?, ?::bigint, ?::bigint, ?::bigint, ?::text, ?, ?, ?, ?, ?,
              ?, ?, ?, ?, ?, ?, ?)
      """;

  private static final String SEPARATOR = ",";

  private RuleRow() {}

  static Rule.Terms terms(ResultSet row) throws SQLException {
    return new Rule.Terms(
        row.getString("name"),
        coverage(row),
        quota(row),
        OnStoreFailure.valueOf(upper(row, "on_store_failure")),
        row.getInt("priority"),
        Rule.Mode.valueOf(upper(row, "mode")),
        row.getBoolean("is_active"));
  }

  private static Coverage coverage(ResultSet row) throws SQLException {
    String methods = row.getString("methods");
    return new Coverage(
        Optional.ofNullable(row.getString("path_pattern")).map(PathPattern::of),
        methods.isEmpty() ? Set.of() : Set.of(methods.split(SEPARATOR, -1)),
        Arrays.stream(row.getString("key_by").split(SEPARATOR, -1)).map(KeyPart::of).toList());
  }

  private static Quota quota(ResultSet row) throws SQLException {
    long max = row.getLong("max_permits");
    if (row.getString("algorithm").equals("concurrency")) {
      return new Quota.Together(new Concurrency(Math.toIntExact(max), row.getLong("lease_micros")));
    }
    return new Quota.Rate(
        limit(row, max),
        new Quota.Waiting(
            row.getBoolean("queue_enabled"),
            row.getInt("max_queue_size"),
            row.getInt("delay_millis")));
  }

  private static Limit limit(ResultSet row, long max) throws SQLException {
    String algorithm = row.getString("algorithm");
    long windowMicros = row.getLong("window_micros");
    return switch (algorithm) {
      case "fixed_window" ->
          new FixedWindow(
              max,
              windowMicros,
              row.getBoolean("is_aligned") ? FixedWindow.Start.EPOCH : FixedWindow.Start.FIRST_USE);
      case "sliding_window" -> new SlidingWindow(max, windowMicros);
      case "token_bucket" ->
          new TokenBucket(max, row.getLong("refill_tokens"), row.getLong("refill_micros"));
      default -> throw new SQLException("algorithm " + algorithm + " is unknown");
    };
  }

  /** The columns that differ between kinds of quota. */
  private record Columns(
      String algorithm,
      long max,
      @Nullable Long windowMicros,
      boolean isAligned,
      @Nullable Long refillTokens,
      @Nullable Long refillMicros,
      @Nullable Long leaseMicros,
      Quota.Waiting waiting) {
    static Columns of(Quota quota) {
      return switch (quota) {
        case Quota.Together together ->
            new Columns(
                "concurrency",
                together.concurrency().max(),
                null,
                false,
                null,
                null,
                together.concurrency().ttlMicros(),
                Quota.Waiting.NONE);
        case Quota.Rate rate -> of(rate.limit(), rate.waiting());
      };
    }

    private static Columns of(Limit limit, Quota.Waiting waiting) {
      return switch (limit) {
        case FixedWindow window ->
            new Columns(
                "fixed_window",
                window.limit(),
                window.windowMicros(),
                window.start() == FixedWindow.Start.EPOCH,
                null,
                null,
                null,
                waiting);
        case SlidingWindow window ->
            new Columns(
                "sliding_window",
                window.limit(),
                window.windowMicros(),
                false,
                null,
                null,
                null,
                waiting);
        case TokenBucket bucket ->
            new Columns(
                "token_bucket",
                bucket.capacity(),
                null,
                false,
                bucket.refillTokens(),
                bucket.refillMicros(),
                null,
                waiting);
      };
    }
  }

  static void insert(Connection connection, EntryVersion<Rule> version) throws SQLException {
    Rule rule = version.entry();
    Rule.Terms terms = rule.terms();
    Columns columns = Columns.of(terms.allowance());
    Sql.update(
        connection,
        INSERT,
        rule.id(),
        rule.version(),
        terms.name(),
        columns.algorithm(),
        columns.max(),
        columns.windowMicros(),
        columns.isAligned(),
        columns.refillTokens(),
        columns.refillMicros(),
        columns.leaseMicros(),
        terms.coverage().path().map(PathPattern::text).orElse(null),
        String.join(SEPARATOR, terms.coverage().methods()),
        terms.coverage().keyBy().stream().map(KeyPart::text).collect(Collectors.joining(SEPARATOR)),
        columns.waiting().isEnabled(),
        columns.waiting().maxSize(),
        columns.waiting().delayMillis(),
        terms.priority(),
        lower(terms.mode()),
        lower(terms.onStoreFailure()),
        terms.isActive(),
        version.isRemoval(),
        version.changedBy(),
        Micros.ceil(rule.updatedAt()));
  }

  private static String upper(ResultSet row, String column) throws SQLException {
    return row.getString(column).toUpperCase(Locale.ROOT);
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
