package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.store.tck.internal.OracleStandIn;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class OraclePoolTest {
  /** A function of the database, which calls it by reflection. */
  public static final class Function {
    private Function() {}

    public static int fail(int number, String state) throws SQLException {
      throw new SQLException("ORA-" + number, state, number);
    }
  }

  /** The states are those that Oracle's driver has for the numbers. */
  @ParameterizedTest
  @CsvSource({
    "3135, 63000, true",
    "17401, 99999, true",
    "17447, 99999, true",
    "2396, 61000, true",
    "3113, 08006, true",
    "12899, 72000, false",
    "54, 61000, false"
  })
  void connectionThatIsLostLeavesThePool(int number, String state, boolean isLost)
      throws SQLException {
    try (HikariDataSource pool =
            OraclePool.open(
                new PoolSettings(OracleStandIn.create(), "", "", 1, 2, Database.MAX_WAIT));
        Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("create alias fail for '%s.fail'".formatted(Function.class.getName()));

      assertThatThrownBy(
              () -> statement.executeQuery("select fail(%s, '%s')".formatted(number, state)))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(number));

      assertThat(connection.isClosed()).isEqualTo(isLost);
    }
  }

  /** The driver derives these from the locale of this machine. */
  @Test
  void sessionDoesNotDependOnTheLocale() {
    try (HikariDataSource pool =
        OraclePool.open(
            new PoolSettings(OracleStandIn.create(), "", "", 1, 2, Database.MAX_WAIT))) {
      assertThat(pool.getConnectionInitSql())
          .contains("nls_sort = binary", "nls_comp = binary", "nls_numeric_characters = '.,'");
    }
  }

  /** A server of 19c does not know the names of zones that were added since (ORA-01882). */
  @Test
  void sessionDoesNotNameTheTimeZoneOfThisMachine() throws Exception {
    String url = "jdbc:oracle:asked:";
    BlockingQueue<Properties> asked = new LinkedBlockingQueue<>();
    Driver driver =
        (Driver)
            Proxy.newProxyInstance(
                OraclePoolTest.class.getClassLoader(),
                new Class<?>[] {Driver.class},
                (self, method, arguments) ->
                    switch (method.getName()) {
                      case "connect" -> {
                        if (arguments[0].equals(url)) {
                          asked.add((Properties) arguments[1]);
                          throw new SQLException("asked");
                        }
                        yield null;
                      }
                      case "acceptsURL" -> arguments[0].equals(url);
                      case "equals" -> self == arguments[0];
                      case "hashCode" -> System.identityHashCode(self);
                      default -> "asked";
                    });
    DriverManager.registerDriver(driver);
    try (HikariDataSource pool =
        OraclePool.open(new PoolSettings(url, "", "", 0, 1, Duration.ofMillis(250)))) {
      assertThatThrownBy(pool::getConnection).isInstanceOf(SQLException.class);

      assertThat(asked.take()).containsEntry("oracle.jdbc.timezoneAsRegion", "false");
    } finally {
      DriverManager.deregisterDriver(driver);
    }
  }
}
