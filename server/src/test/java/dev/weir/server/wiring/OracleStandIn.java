package dev.weir.server.wiring;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.Properties;
import java.util.UUID;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * A driver of databases of H2 in its Oracle mode, in memory, with addresses that look like
 * Oracle's. H2 knows no {@code ALTER SESSION}, which is ignored.
 */
public final class OracleStandIn implements Driver {
  private static final String PREFIX = "jdbc:oracle:h2:";

  private OracleStandIn() {}

  /** Returns the address of a new database. */
  public static String create() {
    return Registered.INSTANCE.url();
  }

  private String url() {
    return PREFIX + UUID.randomUUID();
  }

  @Override
  public boolean acceptsURL(String url) {
    return url.startsWith(PREFIX);
  }

  @Override
  public @Nullable Connection connect(String url, Properties properties) throws SQLException {
    if (!acceptsURL(url)) {
      return null;
    }
    String name = url.substring(PREFIX.length());
    Connection connection =
        DriverManager.getConnection(
            "jdbc:h2:mem:" + name + ";MODE=Oracle;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=10000");
    return proxy(
        Connection.class,
        (self, method, arguments) -> {
          Object result = call(connection, method, arguments);
          return method.getName().equals("createStatement") ? ignoring((Statement) result) : result;
        });
  }

  private static Statement ignoring(Statement statement) {
    return proxy(
        Statement.class,
        (self, method, arguments) ->
            method.getName().equals("execute")
                    && ((String) arguments[0]).startsWith("alter session")
                ? false
                : call(statement, method, arguments));
  }

  private static Object call(Object on, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(on, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  @Override
  public DriverPropertyInfo[] getPropertyInfo(String url, Properties properties) {
    return new DriverPropertyInfo[0];
  }

  @Override
  public int getMajorVersion() {
    return 1;
  }

  @Override
  public int getMinorVersion() {
    return 0;
  }

  @Override
  public boolean jdbcCompliant() {
    return false;
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException();
  }

  private static final class Registered {
    static final OracleStandIn INSTANCE = register();

    private static OracleStandIn register() {
      OracleStandIn driver = new OracleStandIn();
      try {
        DriverManager.registerDriver(driver);
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
      return driver;
    }
  }
}
