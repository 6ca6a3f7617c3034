package dev.weir.store.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/**
 * Connections that check each statement by {@link OracleSql}, and count the calls for which
 * Oracle's driver sends a message and waits: executions, batches, commits and rollbacks.
 */
public final class CheckedDataSource {
  private static final Set<String> ROUND_TRIPS =
      Set.of("execute", "executeQuery", "executeUpdate", "executeBatch", "commit", "rollback");

  private final DataSource source;
  private final AtomicInteger roundTrips = new AtomicInteger();
  private final DataSource dataSource;

  private CheckedDataSource(DataSource source) {
    this.source = source;
    this.dataSource = proxy(DataSource.class, this::onDataSource);
  }

  public static CheckedDataSource of(DataSource source) {
    return new CheckedDataSource(source);
  }

  public DataSource dataSource() {
    return dataSource;
  }

  /** Returns the number of round trips so far. */
  public int roundTrips() {
    return roundTrips.get();
  }

  private Object onDataSource(Object self, Method method, Object[] arguments) throws Throwable {
    Object result = call(source, method, arguments);
    return result instanceof Connection connection
        ? proxy(Connection.class, (any, called, given) -> onConnection(connection, called, given))
        : result;
  }

  private Object onConnection(Connection connection, Method method, Object[] arguments)
      throws Throwable {
    if (method.getName().startsWith("prepare")) {
      OracleSql.check((String) arguments[0]);
      PreparedStatement statement = (PreparedStatement) call(connection, method, arguments);
      return proxy(PreparedStatement.class, (any, called, given) -> call(statement, called, given));
    }
    return call(connection, method, arguments);
  }

  private Object call(Object on, Method method, Object[] arguments) throws Throwable {
    if (ROUND_TRIPS.contains(method.getName())) {
      roundTrips.incrementAndGet();
    }
    try {
      return method.invoke(on, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
