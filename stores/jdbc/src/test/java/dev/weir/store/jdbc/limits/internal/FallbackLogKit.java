package dev.weir.store.jdbc.limits.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import dev.weir.limits.FallbackLog;
import dev.weir.limits.StoreHistory;
import dev.weir.store.jdbc.internal.Dialect;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** A database remembers until when it may have granted in place of another store. */
abstract class FallbackLogKit {
  private final String store = "store " + UUID.randomUUID();
  private final FallbackLog one;
  private final FallbackLog other;
  private final StoreHistory history;

  FallbackLogKit(Dialect dialect, DataSource pool, DataSource otherPool) {
    this.one = new JdbcFallbackLog(dialect, pool, store);
    this.other = new JdbcFallbackLog(dialect, otherPool, store);
    this.history = new JdbcStoreHistory(dialect, pool);
  }

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
    history.prepare(store, past -> assertThat(past.isFirstUse()).isTrue());
    assertThat(one.usedUntilMicros()).isEqualTo(20);
  }

  @Test
  void storeThatWasUsedBeforeIsRememberedAsWell() {
    history.prepare(store, past -> {});
    assertThat(one.usedUntilMicros()).isEqualTo(Micros.EARLIEST);
    one.uses(20);
    assertThat(other.usedUntilMicros()).isEqualTo(20);
  }
}
