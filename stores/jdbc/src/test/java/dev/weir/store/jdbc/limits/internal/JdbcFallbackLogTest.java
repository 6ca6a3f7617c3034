package dev.weir.store.jdbc.limits.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import dev.weir.limits.FallbackLog;
import dev.weir.limits.StoreHistory;
import dev.weir.store.jdbc.Database;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** PostgreSQL remembers until when it may have granted in place of another store. */
final class JdbcFallbackLogTest {
  private final Database database = Database.get();
  private final String store = "store " + UUID.randomUUID();
  private final FallbackLog one = new JdbcFallbackLog(database.pool(), store);
  private final FallbackLog other = new JdbcFallbackLog(database.otherPool(), store);

  @Test
  void latestTimeOfAnyNodeIsRemembered() {
    assertThat(one.usedUntilMicros()).isEqualTo(Micros.EARLIEST);
    one.uses(20);
    assertThat(other.usedUntilMicros()).isEqualTo(20);
    other.uses(10);
    assertThat(one.usedUntilMicros()).isEqualTo(20);
    other.uses(30);
    assertThat(one.usedUntilMicros()).isEqualTo(30);
  }

  @Test
  void fallbackIsNoUseOfTheStoreItself() {
    one.uses(20);
    StoreHistory history = new JdbcStoreHistory(database.pool());
    history.prepare(store, past -> assertThat(past.isFirstUse()).isTrue());
    assertThat(one.usedUntilMicros()).isEqualTo(20);
  }
}
