package dev.weir.store.surrealdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The check finds a database that hands out the same token twice. */
final class RaceCheckTest {
  private static final SurrealDbSettings SETTINGS =
      SurrealDbSettings.of("http://127.0.0.1:1", "n", "d");

  /**
   * A database of one record of tokens.
   *
   * @param twice how many of its updates are lost
   */
  private static RaceCheck.Database database(long twice) {
    AtomicLong tokens = new AtomicLong();
    AtomicLong lost = new AtomicLong(twice);
    return query -> {
      if (query.text().contains("weir race-start")) {
        tokens.set((Long) ((Map<?, ?>) query.parameters().get("call")).get("tokens"));
      } else if (query.text().contains("weir race-take")) {
        if (lost.getAndDecrement() > 0) {
          return new Value(List.of("a token that stays there"));
        }
        return new Value(
            tokens.getAndUpdate(left -> Math.max(0, left - 1)) > 0 ? List.of("one") : List.of());
      }
      return new Value(null);
    };
  }

  @Test
  void acceptsADatabaseThatGrantsEachTokenOnce() {
    assertThat(new RaceCheck(database(0), SETTINGS).isAnomalous()).isFalse();
  }

  @Test
  void findsASingleTokenThatIsGrantedTwice() {
    assertThat(new RaceCheck(database(1), SETTINGS).isAnomalous()).isTrue();
  }
}
