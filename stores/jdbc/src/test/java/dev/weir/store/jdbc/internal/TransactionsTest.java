package dev.weir.store.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.engine.StoreException;
import dev.weir.store.jdbc.Database;
import java.sql.SQLException;
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
}
