package dev.weir.node.stores;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.StoreException;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class DatabaseTimeTest {
  private static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");

  private Instant database = NOON;
  private boolean isDown;
  private int reads;
  private long nanos = Long.MAX_VALUE - 5;
  private final DatabaseTime time = new DatabaseTime(this::read, () -> nanos);

  private Instant read() {
    if (isDown) {
      throw new StoreException(StoreException.Outcome.NONE, "down");
    }
    reads++;
    return database;
  }

  @Test
  void isCountedOnBetweenTwoReads() {
    nanos += TimeUnit.MILLISECONDS.toNanos(999);
    assertThat(time.instant()).isEqualTo(NOON.plusMillis(999));
    assertThat(reads).isEqualTo(1);
  }

  @Test
  void isReadAgainAfterASecond() {
    nanos += TimeUnit.SECONDS.toNanos(1);
    database = NOON.plusSeconds(90);
    assertThat(time.instant()).isEqualTo(NOON.plusSeconds(90));
    assertThat(time.instant()).isEqualTo(NOON.plusSeconds(90));
    assertThat(reads).isEqualTo(2);
  }

  @Test
  void isCountedOnWhileTheDatabaseDoesNotAnswer() {
    isDown = true;
    nanos += TimeUnit.SECONDS.toNanos(30);
    assertThat(time.instant()).isEqualTo(NOON.plusSeconds(30));
    isDown = false;
    database = NOON.plusSeconds(32);
    nanos += TimeUnit.SECONDS.toNanos(1);
    assertThat(time.instant()).isEqualTo(NOON.plusSeconds(32));
  }
}
