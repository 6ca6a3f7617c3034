package dev.weir.store.tck.internal;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Connections that check each statement by {@link OracleSql}, and count the calls for which
 * Oracle's driver sends a message and waits: executions, batches, commits and rollbacks.
 */
public final class CheckedDataSource {
  private static final Set<String> ROUND_TRIPS =
      Set.of("execute", "executeQuery", "executeUpdate", "executeBatch", "commit", "rollback");

  /** Statements that were checked already: a check takes longer than most statements. */
  private static final Set<String> FAULTLESS = ConcurrentHashMap.newKeySet();

  private static final int MAX_FAULTLESS = 1_000;

  private final DataSource source;
  private final int maxParameters;
  private final AtomicInteger roundTrips = new AtomicInteger();
  private final DataSource dataSource;

  private CheckedDataSource(DataSource source, int maxParameters) {
    this.source = source;
    this.maxParameters = maxParameters;
    this.dataSource = proxy(DataSource.class, this::onDataSource);
  }

  public static CheckedDataSource of(DataSource source) {
    return new CheckedDataSource(source, Integer.MAX_VALUE);
  }

  /**
   * Returns connections that refuse statements with more parameters, although Oracle takes them.
   */
  public static CheckedDataSource of(DataSource source, int maxParameters) {
    return new CheckedDataSource(source, maxParameters);
  }

  public DataSource dataSource() {
    return dataSource;
  }

  /** Returns the number of round trips so far. */
  public int roundTrips() {
    return roundTrips.get();
  }

  private @Nullable Object onDataSource(Object self, Method method, Object @Nullable [] arguments)
      throws Throwable {
    return wrapped(call(source, method, arguments));
  }

  private @Nullable Object wrapped(@Nullable Object result) {
    if (result instanceof Connection connection) {
      return checked(Connection.class, connection);
    }
    if (result instanceof PreparedStatement prepared) {
      return checked(PreparedStatement.class, prepared);
    }
    return result instanceof Statement plain ? checked(Statement.class, plain) : result;
  }

  private <T> T checked(Class<T> type, T target) {
    return proxy(type, (self, method, arguments) -> wrapped(call(target, method, arguments)));
  }

  private @Nullable Object call(Object on, Method method, Object @Nullable [] arguments)
      throws Throwable {
    if (arguments != null && arguments[0] instanceof String sql && takesSql(method)) {
      check(sql);
      if (sql.chars().filter(c -> c == '?').count() > maxParameters) {
        throw new AssertionError("more than %d parameters: %s".formatted(maxParameters, sql));
      }
    }
    if (ROUND_TRIPS.contains(method.getName())) {
      roundTrips.incrementAndGet();
    }
    try {
      return method.invoke(on, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static void check(String sql) {
    if (!FAULTLESS.contains(sql)) {
      OracleSql.check(sql);
      if (FAULTLESS.size() >= MAX_FAULTLESS) {
        FAULTLESS.clear();
      }
      FAULTLESS.add(sql);
    }
  }

  private static boolean takesSql(Method method) {
    return method.getName().startsWith("prepare") || method.getName().startsWith("execute");
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
