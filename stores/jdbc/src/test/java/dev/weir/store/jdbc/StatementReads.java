package dev.weir.store.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.weir.store.jdbc.internal.Sql;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.sql.DataSource;

/**
 * One connection that counts how many rows of tables and entries of indexes each of its statements
 * reads. No other connection may read tables of that database meanwhile.
 */
public final class StatementReads implements AutoCloseable {
  /**
   * What is published and what this connection has not published yet. Statistics are published
   * between transactions only, so that every row is in one of them.
   */
  private static final String READ =
      """
      select sum(pg_stat_get_tuples_returned(c.oid) + pg_stat_get_xact_tuples_returned(c.oid))::bigint
      from pg_class c where c.relkind in ('r', 'i') and c.oid >= 16384
      """;

  private final Map<String, Long> maxBySql = new LinkedHashMap<>();
  private final HikariDataSource connections;
  private final HikariDataSource pool;
  private boolean isCounting;

  public StatementReads(String url) {
    // Plans are kept from the first execution on.
    this.connections =
        PostgresqlPool.open(
            new PoolSettings(url + "&prepareThreshold=1", "postgres", "", 1, 1, Database.MAX_WAIT));
    HikariConfig config = new HikariConfig();
    config.setDataSource(proxy(DataSource.class, connections, this::connection));
    config.setMaximumPoolSize(1);
    config.setConnectionTimeout(Database.MAX_WAIT.toMillis());
    this.pool = new HikariDataSource(config);
  }

  public HikariDataSource pool() {
    return pool;
  }

  /** Counts from now on. */
  public void count() {
    isCounting = true;
  }

  /** Returns the statements, with the largest number that one execution of each has read. */
  public Map<String, Long> maxBySql() {
    return maxBySql;
  }

  private interface Calls<T> {
    Object on(T target, Method method, Object[] arguments) throws Throwable;
  }

  private static <T> T proxy(Class<T> type, T target, Calls<T> calls) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> calls.on(target, method, arguments)));
  }

  private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private Object connection(DataSource target, Method method, Object[] arguments) throws Throwable {
    Object result = call(target, method, arguments);
    return result instanceof Connection connection
        ? proxy(Connection.class, connection, this::prepared)
        : result;
  }

  private Object prepared(Connection target, Method method, Object[] arguments) throws Throwable {
    Object result = call(target, method, arguments);
    return result instanceof PreparedStatement statement
        ? proxy(
            PreparedStatement.class,
            statement,
            (on, called, values) ->
                isCounting && called.getName().startsWith("execute")
                    ? counted(target, (String) arguments[0], () -> call(on, called, values))
                    : call(on, called, values))
        : result;
  }

  private interface Execution {
    Object run() throws Throwable;
  }

  private Object counted(Connection connection, String sql, Execution execution) throws Throwable {
    if (sql.startsWith("set ")) {
      // It must be the first of its transaction.
      return execution.run();
    }
    long before = read(connection);
    Object result = execution.run();
    maxBySql.merge(sql, read(connection) - before, Math::max);
    return result;
  }

  private static long read(Connection connection) throws SQLException {
    return Sql.first(connection, row -> row.getLong(1), READ).orElseThrow();
  }

  @Override
  public void close() {
    pool.close();
    connections.close();
  }
}
