package dev.weir.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.weir.slots.Assignment;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotObserver;
import dev.weir.slots.SlotState;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What is left of slots in the log at INFO. */
final class SlotLogTest {
  private static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private final AtomicInteger contended = new AtomicInteger();
  private final SlotObserver metrics =
      new SlotObserver() {
        @Override
        public void contended() {
          contended.incrementAndGet();
        }
      };
  private final SlotLog quiet = new SlotLog(metrics, false, nanos::get);

  private final Logger logger = (Logger) LoggerFactory.getLogger("dev.weir.slots");
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

  @BeforeEach
  void watch() {
    logged.start();
    logger.addAppender(logged);
    logger.setAdditive(false);
    logger.setLevel(Level.INFO);
  }

  @AfterEach
  void watchNoMore() {
    logger.detachAppender(logged);
    logger.setAdditive(true);
    logger.setLevel(null);
  }

  @Test
  void aSlotIsLoggedAtInfoOnlyIfItIsAskedFor() {
    Slot slot =
        new Slot("pay-1", "bank", 1, NOON, NOON, 0, NOON.plusSeconds(1), SlotState.ASSIGNED, NOON);
    quiet.answered(new Assignment.Assigned(slot, false, 0), Duration.ZERO);
    assertThat(logged.list).isEmpty();
    SlotLog chatty = new SlotLog(metrics, true, nanos::get);
    chatty.answered(new Assignment.Assigned(slot, true, 0), Duration.ZERO);
    assertThat(logged.list).singleElement().hasToString("[INFO] Slot given again");
    assertThat(logged.list.getFirst().getKeyValuePairs())
        .extracting(Object::toString)
        .contains("eventId=\"pay-1\"", "configName=\"bank\"");
  }

  @Test
  void contentionIsCountedAndLoggedOnceAMinute() {
    for (int i = 0; i < 5; i++) {
      quiet.contended();
    }
    assertThat(batches()).isEqualTo("batches=\"1\"");
    nanos.addAndGet(SlotLog.CONTENTION_SPACING.toNanos() - 1);
    quiet.contended();
    assertThat(batches()).isEmpty();
    nanos.incrementAndGet();
    quiet.contended();
    assertThat(batches()).as("with those since the first line").isEqualTo("batches=\"6\"");
    assertThat(contended).hasValue(7);
  }

  /** Returns the field of the lines since the last call. */
  private String batches() {
    StringBuilder fields = new StringBuilder();
    logged.list.forEach(line -> line.getKeyValuePairs().forEach(fields::append));
    logged.list.clear();
    return fields.toString();
  }
}
