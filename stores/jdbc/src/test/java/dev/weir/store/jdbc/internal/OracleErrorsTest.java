package dev.weir.store.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.store.jdbc.OracleDatabase;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The numbers and states are those that Oracle's driver reports. */
final class OracleErrorsTest {
  private static SQLException error(int number, String state) {
    return new SQLException("ORA-%05d".formatted(number), state, number);
  }

  /** What the store makes of an error: before the commit, and as the answer to the commit. */
  @ParameterizedTest
  @CsvSource({
    // Retried: the next attempt sees what the other transaction did.
    "1, 23000, retried, retried",
    "60, 61000, retried, retried",
    "8177, 72000, retried, retried",
    "4068, 72000, retried, retried",
    "1555, 72000, retried, retried",
    "8176, 72000, retried, retried",
    "22924, 99999, retried, retried",
    "1466, 72000, retried, retried",
    "8103, 72000, retried, retried",
    // The lock was not available in time: nothing was done.
    "54, 61000, none, none",
    "30006, 61000, none, none",
    // Refused by the server: nothing was done.
    "12899, 72000, none, unknown",
    "1400, 23000, none, unknown",
    "1653, 72000, none, unknown",
    "2091, 40000, none, none",
    // The connection is lost: before the commit nothing was done, after it that is unknown.
    "28, 08000, none, unknown",
    "1012, 08003, none, unknown",
    "1089, 08000, none, unknown",
    "3113, 08000, none, unknown",
    "3114, 08000, none, unknown",
    "3135, 08000, none, unknown",
    "12541, 08000, none, unknown",
    "17002, 08006, none, unknown",
    "17008, 08003, none, unknown",
    "17410, 08000, none, unknown",
    "18730, 72000, none, unknown",
    "25408, 08000, none, unknown"
  })
  void hasAnOutcome(int number, String state, String beforeCommit, String atCommit) {
    assertThat(outcome(error(number, state), false)).isEqualTo(beforeCommit);
    assertThat(outcome(error(number, state), true)).isEqualTo(atCommit);
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
              SQLException tooOld = error(number, "72000");
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
    "12541, 08000, true", // no listener
    "12514, 08001, true", // the listener does not know the service yet
    "12528, 66000, true", // the instance is starting
    "1033, 72000, true", // startup or shutdown in progress
    "12519, 66000, true", // too many processes
    "17002, 08006, true", // input or output error
    "12170, 66000, true", // timeout
    "12535, 66000, true", // timeout
    "12545, 66000, true", // the host is not known
    "12560, 66000, true", // error of the protocol
    "17868, 22000, true", // the host is not known, by the driver
    "2391, 72000, true", // too many sessions of the user
    "1017, 72000, false", // wrong password
    "28000, 72000, false", // the account is locked
    "12154, 66000, false" // the name cannot be resolved
  })
  void connectingIsRetriedWhileItMayHelp(int number, String state, boolean isTransient) {
    assertThat(OracleErrors.isTransient(error(number, state))).isEqualTo(isTransient);
  }

  @Test
  void failuresNameTheStore() {
    Transactions transactions =
        new Transactions(Dialect.ORACLE, OracleDatabase.get().pool(), () -> {});

    assertThatThrownBy(
            () ->
                transactions.read(
                    connection -> {
                      throw error(12899, "72000");
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
                      throw error(60, "61000");
                    }))
        .isInstanceOf(StoreException.class);
    assertThat(retries).hasValue(0);
  }
}
