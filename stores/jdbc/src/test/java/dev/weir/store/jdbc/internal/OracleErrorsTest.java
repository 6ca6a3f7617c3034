package dev.weir.store.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.store.jdbc.OracleDatabase;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import oracle.jdbc.driver.SQLStateMapping;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Errors by their numbers, with the types and the SQL states that Oracle's driver gives them. */
final class OracleErrorsTest {
  /** What the driver makes of a number that it does not know. */
  private static final String UNKNOWN_STATE = "99999";

  private static SQLException error(int number) {
    String message = "ORA-%05d".formatted(number);
    return Arrays.stream(SQLStateMapping.getMappings())
        .filter(mapping -> mapping.isIncluded(number))
        .findFirst()
        .map(mapping -> mapping.newSQLException(message, number))
        .orElseGet(() -> new SQLException(message, UNKNOWN_STATE, number));
  }

  /** What the store makes of an error: before the commit, and as the answer to the commit. */
  @ParameterizedTest
  @CsvSource({
    // Retried: the next attempt sees what the other transaction did.
    "1, retried, retried",
    "60, retried, retried",
    "8177, retried, retried",
    "4068, retried, retried",
    "1555, retried, retried",
    "8176, retried, retried",
    "22924, retried, retried",
    "1466, retried, retried",
    "8103, retried, retried",
    // The lock was not available in time: nothing was done.
    "54, none, none",
    "30006, none, none",
    // Refused by the server: nothing was done.
    "12899, none, none",
    "1400, none, none",
    "1653, none, none",
    "6550, none, none",
    "30036, none, none",
    "2091, none, none",
    // It is not known what the session had done when that happened.
    "600, none, unknown",
    "2054, none, unknown",
    // The connection is lost: before the commit nothing was done, after it that is unknown.
    "28, none, unknown",
    "1012, none, unknown",
    "1089, none, unknown",
    "3113, none, unknown",
    "3114, none, unknown",
    "3135, none, unknown",
    "12541, none, unknown",
    "17002, none, unknown",
    "17008, none, unknown",
    "17410, none, unknown",
    "18730, none, unknown",
    // By the driver's type only: process ended, a file cannot be read, timeout of a login.
    "603, none, unknown",
    "376, none, unknown",
    "18953, none, unknown",
    "25408, none, unknown"
  })
  void hasAnOutcome(int number, String beforeCommit, String atCommit) {
    assertThat(outcome(error(number), false)).isEqualTo(beforeCommit);
    assertThat(outcome(error(number), true)).isEqualTo(atCommit);
  }

  private static String outcome(SQLException error, boolean isCommit) {
    AtomicInteger retries = new AtomicInteger();
    Transactions transactions =
        new Transactions(Dialect.ORACLE, OracleDatabase.get().pool(), retries::incrementAndGet);
    try {
      transactions.write(
          connection -> {
            if (retries.get() > 0) {
              return "retried";
            }
            if (isCommit) {
              return UnknownOutcomeException.<String>committing(
                  () -> {
                    throw error;
                  });
            }
            throw error;
          });
    } catch (StoreException e) {
      assertThat(e).hasMessageContaining(error.getMessage());
      return e.outcome() == StoreException.Outcome.NONE ? "none" : "unknown";
    }
    return "retried";
  }

  /** Undo that is gone, and a large object whose earlier version is. */
  @ParameterizedTest
  @CsvSource({"1555, true", "22924, true", "1555, false", "22924, false"})
  void readsOnANewSnapshotIfItsOwnIsTooOld(int number, boolean isWrapped) {
    AtomicInteger retries = new AtomicInteger();
    Transactions transactions =
        new Transactions(Dialect.ORACLE, OracleDatabase.get().pool(), retries::incrementAndGet);

    String read =
        transactions.snapshot(
            connection -> {
              SQLException tooOld = error(number);
              if (retries.get() > 0) {
                return "read";
              }
              if (isWrapped) {
                throw Transactions.failure(Dialect.ORACLE, tooOld);
              }
              throw tooOld;
            });

    assertThat(read).isEqualTo("read");
    assertThat(retries).hasValue(1);
  }

  @ParameterizedTest
  @CsvSource({
    "12541, true", // no listener
    "12514, true", // the listener does not know the service yet
    "12528, true", // the instance is starting
    "12527, true", // the instance is restricted and starting
    "12530, true", // the listener takes so many a second
    "12564, true", // refused by the listener or the instance
    "12510, true", // no database behind the listener
    "1033, true", // startup or shutdown in progress
    "12519, true", // too many processes
    "17002, true", // input or output error
    "12170, true", // timeout
    "12535, true", // timeout
    "12545, true", // the host is not known
    "12560, true", // error of the protocol
    "17868, true", // the host is not known, by the driver
    "2391, true", // too many sessions of the user
    "1017, false", // wrong password
    "28000, false", // the account is locked
    "12154, false" // the name cannot be resolved
  })
  void connectingIsRetriedWhileItMayHelp(int number, boolean isTransient) {
    assertThat(OracleErrors.isTransient(error(number))).isEqualTo(isTransient);
  }

  @Test
  void failuresNameTheStore() {
    Transactions transactions =
        new Transactions(Dialect.ORACLE, OracleDatabase.get().pool(), () -> {});

    assertThatThrownBy(
            () ->
                transactions.read(
                    connection -> {
                      throw error(12899);
                    }))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.store()).contains("oracle"));
  }

  /** The number 1 means something else elsewhere. */
  @Test
  void numbersAreOnlyOracles() {
    AtomicInteger retries = new AtomicInteger();
    Transactions transactions =
        new Transactions(Dialect.POSTGRESQL, OracleDatabase.get().pool(), retries::incrementAndGet);

    assertThatThrownBy(
            () ->
                transactions.write(
                    connection -> {
                      throw error(60);
                    }))
        .isInstanceOf(StoreException.class);
    assertThat(retries).hasValue(0);
  }
}
