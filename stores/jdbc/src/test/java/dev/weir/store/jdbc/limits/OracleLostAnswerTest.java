package dev.weir.store.jdbc.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.StoreException;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.Concurrency;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import dev.weir.store.jdbc.OracleDatabase;
import dev.weir.store.jdbc.StoreClock;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLRecoverableException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Compares what a store reports after a lost connection with what Oracle did. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class OracleLostAnswerTest {
  /** Of the driver: no more data to read from socket. */
  private static final int NO_MORE_DATA = 17410;

  private static final Concurrency ALONE = Concurrency.of(1, Duration.ofDays(1));

  private final DataSource database = OracleDatabase.get().pool();
  private final String name = UUID.randomUUID().toString();
  private final Policy policy = Policy.of(name, FixedWindow.of(10, Duration.ofDays(300)));

  /** The call of JDBC that is made, and whose answer is lost, once. */
  private final AtomicReference<String> lost = new AtomicReference<>("");

  private final DataSource lossy = proxy(DataSource.class, database);
  private final JdbcLimitStore limits = OracleStores.limits(lossy, StoreClock.DATABASE, () -> {});
  private final JdbcLeaseStore leases = OracleStores.leases(lossy, StoreClock.DATABASE, () -> {});

  private <T> T proxy(Class<T> type, T target) {
    InvocationHandler handler = (self, method, arguments) -> call(target, method, arguments);
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private @Nullable Object call(Object target, Method method, Object @Nullable [] arguments)
      throws Throwable {
    Object result;
    try {
      result = method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
    if (method.getName().equals(lost.get())) {
      lost.set("");
      throw new SQLRecoverableException("no more data to read from socket", "08000", NO_MORE_DATA);
    }
    if (result instanceof Connection connection) {
      return proxy(Connection.class, connection);
    }
    return result instanceof PreparedStatement statement
        ? proxy(PreparedStatement.class, statement)
        : result;
  }

  private static StoreException.Outcome outcomeOf(ThrowingCallable work) {
    return catchThrowableOfType(StoreException.class, work).outcome();
  }

  @Test
  void grantWhoseCommitIsNotAnsweredIsUnknownAndIsFoundByItsId() {
    AcquireRequest request =
        new AcquireRequest(List.of(LimitRequest.of(policy, "k")), name, Duration.ofMinutes(10));
    lost.set("commit");

    assertThat(outcomeOf(() -> limits.decide(request))).isEqualTo(StoreException.Outcome.UNKNOWN);

    assertThat(limits.decide(request).isReplayed()).isTrue();
    assertThat(limits.usage(policy, "k").used()).isEqualTo(1);
  }

  @Test
  void leaseWhoseCommitIsNotAnsweredIsUnknownAndIsHeldUnderItsId() {
    lost.set("commit");

    assertThat(outcomeOf(() -> leases.acquire(name, ALONE, "mine", 1)))
        .isEqualTo(StoreException.Outcome.UNKNOWN);

    assertThat(leases.acquire(name, ALONE, "mine", 1).isGranted()).isTrue();
    assertThat(leases.acquire(name, ALONE, "other", 1).isGranted()).isFalse();
  }

  @Test
  void connectionLostBeforeTheCommitHasDoneNothing() {
    for (String call : List.of("executeQuery", "executeBatch")) {
      lost.set(call);
      assertThat(outcomeOf(() -> limits.take(policy, "k", 1)))
          .as(call)
          .isEqualTo(StoreException.Outcome.NONE);
      lost.set(call);
      assertThat(outcomeOf(() -> leases.acquire(name, ALONE, "mine", 1)))
          .as(call)
          .isEqualTo(StoreException.Outcome.NONE);
    }

    assertThat(limits.usage(policy, "k").isNone()).isTrue();
    assertThat(leases.current(name)).isZero();
  }
}
