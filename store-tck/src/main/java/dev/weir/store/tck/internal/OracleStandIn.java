package dev.weir.store.tck.internal;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.sql.Types;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A driver of databases of H2 in its Oracle mode, in memory, with addresses that look like
 * Oracle's. H2 has to be on the class path. It has no {@code ALTER SESSION}, which is ignored.
 * Parameters without a character or byte become null, as to Oracle. Connections keep prepared
 * statements, as Oracle's driver can: H2 parses most statements again each time.
 *
 * <p>Statements run on platform threads. A transaction of H2 that waits for another one, of which a
 * statement was rolled back, polls without yielding. If all carriers of virtual threads do that,
 * the virtual thread that holds the lock never runs again.
 */
public final class OracleStandIn implements Driver {
  private static final String PREFIX = "jdbc:oracle:h2:";

  /** However busy the machine is, transactions wait in turn; statements are parsed once. */
  private static final String OPTIONS =
      ";MODE=Oracle;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=120000;QUERY_CACHE_SIZE=256";

  /** Statements that a connection keeps. */
  private static final int MAX_KEPT = 256;

  /** The time in a statement, which is shorter, is left out. */
  private static final Pattern WAIT = Pattern.compile("for update wait \\d+");

  /** The calls that may wait for another transaction, or that another one may wait for. */
  private static final Pattern WAITING =
      Pattern.compile("execute.*|prepare.*|commit|rollback|close|setAutoCommit|abort|isValid");

  /** Has up to one thread for each connection. They are daemons and end when they are idle. */
  private static final ExecutorService PLATFORM_THREADS =
      Executors.newCachedThreadPool(Thread.ofPlatform().daemon().name("h2-", 0).factory());

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
    Connection connection =
        DriverManager.getConnection("jdbc:h2:mem:" + url.substring(PREFIX.length()) + OPTIONS);
    Map<String, PreparedStatement> idle = new ConcurrentHashMap<>();
    return proxy(
        Connection.class,
        (self, method, arguments) -> {
          Object[] withoutWait = withoutWait(arguments);
          if (withoutWait == null
              || withoutWait.length != 1
              || !method.getName().equals("prepareStatement")) {
            return wrapped(call(connection, method, withoutWait));
          }
          String sql = (String) withoutWait[0];
          PreparedStatement kept = idle.remove(sql);
          return kept(
              kept == null ? (PreparedStatement) call(connection, method, withoutWait) : kept,
              sql,
              idle);
        });
  }

  /** Returns a statement that its connection keeps when it is closed. */
  private static PreparedStatement kept(
      @Nullable PreparedStatement prepared, String sql, Map<String, PreparedStatement> idle) {
    PreparedStatement statement = Objects.requireNonNull(prepared);
    PreparedStatement used = statement(PreparedStatement.class, statement);
    AtomicBoolean isClosed = new AtomicBoolean();
    return proxy(
        PreparedStatement.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "close" -> {
                if (isClosed.compareAndSet(false, true) && !isKept(statement, sql, idle)) {
                  statement.close();
                }
                yield null;
              }
              case "isClosed" -> isClosed.get() || statement.isClosed();
              default -> invoke(used, method, arguments);
            });
  }

  private static boolean isKept(
      PreparedStatement statement, String sql, Map<String, PreparedStatement> idle)
      throws SQLException {
    if (statement.isClosed() || idle.size() >= MAX_KEPT) {
      return false;
    }
    ResultSet results = statement.getResultSet();
    if (results != null) {
      results.close();
    }
    statement.clearParameters();
    statement.clearBatch();
    statement.setFetchSize(0);
    return idle.putIfAbsent(sql, statement) == null;
  }

  private static Object @Nullable [] withoutWait(Object @Nullable [] arguments) {
    if (arguments == null || !(arguments[0] instanceof String sql)) {
      return arguments;
    }
    Object[] withoutWait = arguments.clone();
    withoutWait[0] = WAIT.matcher(sql).replaceAll("for update");
    return withoutWait;
  }

  private static @Nullable Object wrapped(@Nullable Object result) {
    if (result instanceof CallableStatement call) {
      return statement(CallableStatement.class, call);
    }
    if (result instanceof PreparedStatement prepared) {
      return statement(PreparedStatement.class, prepared);
    }
    return result instanceof Statement plain ? statement(Statement.class, plain) : result;
  }

  private static <T extends Statement> T statement(Class<T> type, T statement) {
    return proxy(
        type,
        (self, method, arguments) -> {
          if (isOfSession(method, arguments)) {
            return false;
          }
          if (statement instanceof PreparedStatement prepared
              && method.getName().startsWith("set")
              && arguments != null
              && arguments.length > 1
              && isEmpty(arguments[1])) {
            prepared.setNull((int) arguments[0], Types.VARCHAR);
            return null;
          }
          return call(statement, method, arguments);
        });
  }

  private static boolean isEmpty(Object parameter) {
    return parameter instanceof byte[] bytes
        ? bytes.length == 0
        : parameter instanceof String text && text.isEmpty();
  }

  private static boolean isOfSession(Method method, Object @Nullable [] arguments) {
    return method.getName().equals("execute")
        && arguments != null
        && ((String) arguments[0]).startsWith("alter session");
  }

  private static @Nullable Object call(Object on, Method method, Object @Nullable [] arguments)
      throws Throwable {
    if (!Thread.currentThread().isVirtual() || !WAITING.matcher(method.getName()).matches()) {
      return invoke(on, method, arguments);
    }
    CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
    PLATFORM_THREADS.execute(
        () -> {
          try {
            result.complete(invoke(on, method, arguments));
          } catch (Throwable e) {
            result.completeExceptionally(e);
          }
        });
    try {
      return result.join();
    } catch (CompletionException e) {
      throw e.getCause();
    }
  }

  private static @Nullable Object invoke(Object on, Method method, Object @Nullable [] arguments)
      throws Throwable {
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

  /** Registers the driver when the first address is created. */
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
