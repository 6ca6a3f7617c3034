package dev.weir.store.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.store.jdbc.Database;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class TransactionsTest {
  private final Transactions transactions =
      new Transactions(Dialect.POSTGRESQL, Database.get().pool(), () -> {});

  @Test
  void errorOfThisProcessIsNoFailureOfTheDatabase() {
    OutOfMemoryError error = new OutOfMemoryError("Java heap space");
    Transactions.Work<String> work =
        connection -> {
          throw new SQLException("Ran out of memory retrieving query results.", "53200", error);
        };
    assertThatThrownBy(() -> transactions.read(work)).isSameAs(error);
    assertThatThrownBy(() -> transactions.write(work)).isSameAs(error);
  }

  @Test
  void otherFailuresAreThoseOfTheDatabase() {
    assertThatThrownBy(
            () ->
                transactions.read(
                    connection -> {
                      throw new SQLException("disk full", "53100");
                    }))
        .isInstanceOf(StoreException.class)
        .returns("postgresql", failure -> ((StoreException) failure).store());
  }

  @Test
  void conflictsAreRetriedUntilTheyEnd() {
    AtomicInteger attempts = new AtomicInteger();
    AtomicInteger retries = new AtomicInteger();
    Transactions counted =
        new Transactions(Dialect.POSTGRESQL, Database.get().pool(), retries::incrementAndGet);
    int result =
        counted.write(
            connection -> {
              if (attempts.incrementAndGet() < 8) {
                throw new SQLException("deadlock detected", "40P01");
              }
              return attempts.get();
            });
    assertThat(result).isEqualTo(8);
    assertThat(retries).hasValue(7);
  }

  @Test
  void endlessConflictIsNoFailureOfTheDatabase() {
    assertThatThrownBy(
            () ->
                transactions.write(
                    connection -> {
                      throw new SQLException("deadlock detected", "40P01");
                    }))
        .isInstanceOf(StoreException.class)
        .hasMessage("other transactions were in conflict with every attempt: deadlock detected")
        .returns(StoreException.Outcome.NONE, failure -> ((StoreException) failure).outcome());
  }

  @Test
  void interruptedThreadRetriesNoFurther() {
    AtomicInteger attempts = new AtomicInteger();
    try {
      assertThatThrownBy(
              () ->
                  transactions.write(
                      connection -> {
                        // The pool does not wait for a connection in an interrupted thread.
                        if (attempts.incrementAndGet() == 2) {
                          Thread.currentThread().interrupt();
                        }
                        throw new SQLException("deadlock detected", "40P01");
                      }))
          .isInstanceOf(StoreException.class);
      assertThat(attempts).hasValue(2);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }
}
