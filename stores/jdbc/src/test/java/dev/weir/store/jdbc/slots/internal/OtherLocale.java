package dev.weir.store.jdbc.slots.internal;

import dev.weir.internal.Micros;
import dev.weir.slots.AssignRequest;
import dev.weir.slots.WaitMode;
import dev.weir.slots.internal.BatchPlan;
import dev.weir.slots.planning.internal.OccupancyView;
import dev.weir.slots.planning.internal.Page;
import dev.weir.store.jdbc.OracleDatabase;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.tck.slots.Node;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A process with another locale that uses everything on the stand-in for Oracle, whose statements
 * are checked, and prints the parameters of the block.
 */
final class OtherLocale {
  private OtherLocale() {}

  public static void main(String[] arguments) throws SQLException {
    Node node = OracleDatabase.node(OracleDatabase.get().pool(), InstantSource.fixed(Account.NOON));
    Account account = Account.open(node, 2);
    ScanTest.useEverything(node, account);
    System.out.println(parameters(account.request("\u00e9", Account.NOON)));
    System.exit(0);
  }

  /** Returns what the block is called with, apart from the ids. */
  private static List<Object> parameters(AssignRequest request) throws SQLException {
    List<Object> parameters = new ArrayList<>();
    InvocationHandler call =
        (self, method, arguments) -> {
          if (method.getName().startsWith("set")) {
            parameters.add(arguments[1]);
          }
          return switch (method.getName()) {
            case "execute", "wasNull" -> false;
            case "getLong" -> 0L;
            default -> null;
          };
        };
    Connection connection =
        proxy(Connection.class, (self, method, arguments) -> proxy(CallableStatement.class, call));
    ConfigRow row =
        new ConfigRow(
            17, request.config().name(), 1, 0, 1, Long.MIN_VALUE, 100, Micros.ceil(Account.NOON));
    OccupancyView view = JdbcWindows.emptyView(row, request.config());
    view.add(new Page(Micros.ceil(Account.NOON), Long.MAX_VALUE / 2, List.of(), List.of()));
    JdbcWindows windows =
        new JdbcWindows(
            SlotDialect.of(Dialect.ORACLE),
            connection,
            row,
            request.config(),
            view,
            Long.MAX_VALUE);
    Map<String, JdbcWindows> opened = Map.of(request.config().name(), windows);
    BatchPlan plan =
        BatchPlan.of(
            List.of(request), Map.of(), opened, WaitMode.NONE, Account.NOON, new Random(1));
    new OracleBlockWriter("", opened.values(), 7, 1, 2)
        .slots(plan.fresh(), opened)
        .sendIfCurrent(connection);
    return parameters;
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
