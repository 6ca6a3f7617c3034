package dev.weir.store.jdbc.rules.internal;

import dev.weir.internal.Micros;
import dev.weir.register.EntryVersion;
import dev.weir.rules.Rule;
import dev.weir.rules.spec.FieldType;
import dev.weir.rules.spec.RefillRate;
import dev.weir.rules.spec.RuleAlgorithm;
import dev.weir.rules.spec.RuleField;
import dev.weir.rules.spec.RuleSource;
import dev.weir.rules.spec.RuleSpec;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The content of a rule as the columns of a row of {@code rule_version}.
 *
 * <p>A field that is not mentioned here is in the column {@link #MORE}, and needs none of its own:
 * no statement reads single fields.
 *
 * @param columns the values by column, without those that are null; columns of other algorithms are
 *     ignored
 * @param more the fields without a column
 */
record RuleRow(Map<String, Object> columns, MoreFields more) implements RuleSource {
  private static final String NAME = "name";
  private static final String ALGORITHM = "algorithm";

  /** The allowed requests, the capacity or the concurrent requests. */
  private static final String MAX = "max_permits";

  private static final String WINDOW_MICROS = "window_micros";
  private static final String IS_ALIGNED = "is_aligned";
  private static final String REFILL_TOKENS = "refill_tokens";
  private static final String REFILL_MICROS = "refill_micros";
  private static final String LEASE_MICROS = "lease_micros";
  private static final String PATH_PATTERN = "path_pattern";
  private static final String METHODS = "methods";
  private static final String KEY_BY = "key_by";
  private static final String QUEUE_ENABLED = "queue_enabled";
  private static final String MAX_QUEUE_SIZE = "max_queue_size";
  private static final String DELAY_MILLIS = "delay_millis";
  private static final String PRIORITY = "priority";
  private static final String MODE = "mode";
  private static final String ON_STORE_FAILURE = "on_store_failure";
  private static final String IS_ACTIVE = "is_active";

  private static final String MORE = "more";

  /** In the order of the statement; {@link #MORE} follows. */
  private static final List<String> COLUMNS =
      List.of(
          NAME,
          ALGORITHM,
          MAX,
          WINDOW_MICROS,
          IS_ALIGNED,
          REFILL_TOKENS,
          REFILL_MICROS,
          LEASE_MICROS,
          PATH_PATTERN,
          METHODS,
          KEY_BY,
          QUEUE_ENABLED,
          MAX_QUEUE_SIZE,
          DELAY_MILLIS,
          PRIORITY,
          MODE,
          ON_STORE_FAILURE,
          IS_ACTIVE);

  /** What rules of other algorithms have in columns that are not nullable. */
  private static final Map<String, Object> NEUTRAL =
      Map.of(
          IS_ALIGNED,
          false,
          METHODS,
          "",
          QUEUE_ENABLED,
          false,
          MAX_QUEUE_SIZE,
          0L,
          DELAY_MILLIS,
          100L);

  private static final Set<String> FLAGS = Set.of(IS_ALIGNED, QUEUE_ENABLED, IS_ACTIVE);
  private static final Set<String> NULLABLE_NUMBERS =
      Set.of(WINDOW_MICROS, REFILL_TOKENS, REFILL_MICROS, LEASE_MICROS);

  static final String SEPARATOR = ",";

  RuleRow {
    columns = Map.copyOf(columns);
  }

  /** Returns the name of a column in a database: a mode is a reserved word of Oracle. */
  private static String in(Dialect dialect, String column) {
    return dialect == Dialect.ORACLE && column.equals(MODE) ? "rule_mode" : column;
  }

  static RuleSpec spec(Dialect dialect, ResultSet row) throws SQLException {
    Map<String, Object> columns = new HashMap<>();
    for (String column : COLUMNS) {
      String name = in(dialect, column);
      Object value = FLAGS.contains(column) ? row.getBoolean(name) : row.getObject(name);
      if (value != null) {
        columns.put(column, value);
      }
    }
    try {
      return RuleSpec.read(new RuleRow(columns, MoreFields.of(row.getString(MORE))));
    } catch (IllegalArgumentException e) {
      throw new SQLException(
          "rule %d is invalid in version %d: %s"
              .formatted(row.getLong("rule_id"), row.getInt("version"), e.getMessage()),
          e);
    }
  }

  static RuleRow of(RuleSource values) {
    Map<String, Object> columns = new HashMap<>(NEUTRAL);
    Map<RuleField, Object> more = new EnumMap<>(RuleField.class);
    for (RuleField field : RuleField.values()) {
      Object value = values.value(field);
      if (value != null) {
        put(columns, more, field, value);
      }
    }
    return new RuleRow(columns, MoreFields.of(more));
  }

  static void insert(Dialect dialect, Connection connection, EntryVersion<Rule> version)
      throws SQLException {
    Rule rule = version.entry();
    RuleRow row = of(rule.spec().values());
    List<Object> parameters = new ArrayList<>();
    parameters.add(rule.id());
    parameters.add(rule.version());
    COLUMNS.forEach(
        column -> parameters.add(parameter(dialect, column, row.columns().get(column))));
    parameters.add(Sql.orNull(row.more().withUnknownOf(before(connection, rule)).column()));
    parameters.add(dialect.flag(version.isRemoval()));
    parameters.add(version.changedBy());
    parameters.add(Micros.ceil(rule.updatedAt()));
    Sql.update(connection, insert(dialect), parameters.toArray());
  }

  /** Returns the fields without a column of the version in force, whose row is locked. */
  private static MoreFields before(Connection connection, Rule rule) throws SQLException {
    return Sql.first(
            connection,
            row -> MoreFields.of(row.getString(MORE)),
            """
            select v.more
            from rule r
            join rule_version v on v.rule_id = r.rule_id and v.version = r.version
            where r.rule_id = ?
            """,
            rule.id())
        .orElse(MoreFields.of(Map.of()));
  }

  private static String insert(Dialect dialect) {
    return COLUMNS.stream()
        .map(column -> in(dialect, column))
        .collect(
            Collectors.joining(
                ", ",
                "insert into rule_version (rule_id, version, ",
                ", more, is_removed, changed_by, created_at) values (?, ?, "
                    + "?, ".repeat(COLUMNS.size())
                    + "?, ?, ?, ?)"));
  }

  private static Object parameter(Dialect dialect, String column, @Nullable Object value) {
    if (value == null) {
      return NULLABLE_NUMBERS.contains(column)
          ? Sql.orNull((Number) null)
          : Sql.orNull((String) null);
    }
    return value instanceof Boolean flag ? dialect.flag(flag) : value;
  }

  /** Translates the value of a field into columns. */
  @SuppressWarnings("UnnecessaryDefaultInEnumSwitch") // Fields to come have no column.
  private static void put(
      Map<String, Object> columns, Map<RuleField, Object> more, RuleField field, Object value) {
    switch (field) {
      case NAME -> columns.put(NAME, value);
      case PATH_PATTERN -> columns.put(PATH_PATTERN, value);
      case METHODS -> columns.put(METHODS, joined(value));
      case KEY_BY -> columns.put(KEY_BY, joined(value));
      case ALGORITHM -> columns.put(ALGORITHM, ((String) value).toLowerCase(Locale.ROOT));
      case ALLOWED_REQUESTS, CAPACITY, MAX_CONCURRENT -> columns.put(MAX, whole(value));
      case WINDOW_SECONDS ->
          columns.put(WINDOW_MICROS, FieldType.Seconds.micros((BigDecimal) value));
      case ALIGNED -> columns.put(IS_ALIGNED, value);
      case REFILL_RATE -> {
        RefillRate.Exact rate = (RefillRate.Exact) value;
        columns.put(REFILL_TOKENS, rate.tokens());
        columns.put(REFILL_MICROS, rate.micros());
      }
      case LEASE_TTL -> columns.put(LEASE_MICROS, Micros.floor((Duration) value));
      case QUEUE_ENABLED -> columns.put(QUEUE_ENABLED, value);
      case MAX_QUEUE_SIZE -> columns.put(MAX_QUEUE_SIZE, whole(value));
      case DELAY_PER_REQUEST_MS -> columns.put(DELAY_MILLIS, whole(value));
      case PRIORITY -> columns.put(PRIORITY, whole(value));
      case MODE -> columns.put(MODE, value);
      case ACTIVE -> columns.put(IS_ACTIVE, value);
      case ON_STORE_FAILURE -> columns.put(ON_STORE_FAILURE, value);
      default -> more.put(field, value);
    }
  }

  @Override
  @SuppressWarnings("UnnecessaryDefaultInEnumSwitch") // Fields to come have no column.
  public @Nullable Object value(RuleField field) {
    if (!applies(field)) {
      return null;
    }
    return switch (field) {
      case NAME -> columns.get(NAME);
      case PATH_PATTERN -> columns.get(PATH_PATTERN);
      case METHODS -> items(METHODS);
      case KEY_BY -> items(KEY_BY);
      case ALGORITHM -> algorithm();
      case ALLOWED_REQUESTS, CAPACITY, MAX_CONCURRENT -> number(MAX);
      case WINDOW_SECONDS -> {
        BigDecimal micros = number(WINDOW_MICROS);
        yield micros == null ? null : FieldType.Seconds.of(micros.longValue());
      }
      case ALIGNED -> columns.get(IS_ALIGNED);
      case REFILL_RATE -> {
        BigDecimal tokens = number(REFILL_TOKENS);
        BigDecimal micros = number(REFILL_MICROS);
        yield tokens == null || micros == null
            ? null
            : new RefillRate.Exact(tokens.longValue(), micros.longValue());
      }
      case LEASE_TTL -> {
        BigDecimal micros = number(LEASE_MICROS);
        yield micros == null ? null : Micros.duration(micros.longValue());
      }
      case QUEUE_ENABLED -> columns.get(QUEUE_ENABLED);
      case MAX_QUEUE_SIZE -> number(MAX_QUEUE_SIZE);
      case DELAY_PER_REQUEST_MS -> number(DELAY_MILLIS);
      case PRIORITY -> number(PRIORITY);
      case MODE -> columns.get(MODE);
      case ACTIVE -> columns.get(IS_ACTIVE);
      case ON_STORE_FAILURE -> columns.get(ON_STORE_FAILURE);
      default -> more.value(field);
    };
  }

  private boolean applies(RuleField field) {
    try {
      return field.appliesTo(RuleAlgorithm.valueOf(algorithm()));
    } catch (IllegalArgumentException e) {
      // The algorithm itself is reported as invalid.
      return true;
    }
  }

  private String algorithm() {
    return String.valueOf(columns.get(ALGORITHM)).toUpperCase(Locale.ROOT);
  }

  private @Nullable BigDecimal number(String column) {
    Object value = columns.get(column);
    return value == null ? null : BigDecimal.valueOf(((Number) value).longValue());
  }

  /** Returns the items of a column, or null if it is empty. */
  private @Nullable List<String> items(String column) {
    String text = String.valueOf(columns.getOrDefault(column, ""));
    return text.isEmpty() ? null : List.of(text.split(SEPARATOR, -1));
  }

  private static String joined(Object items) {
    return ((List<?>) items)
        .stream().map(String.class::cast).collect(Collectors.joining(SEPARATOR));
  }

  private static long whole(Object number) {
    return ((BigDecimal) number).longValueExact();
  }
}
