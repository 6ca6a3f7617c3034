package dev.weir.server.metrics;

import dev.weir.slots.Assignment;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotObserver;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Logs slot events and passes them on to another observer. */
public final class SlotLog implements SlotObserver {
  static final Duration CONTENTION_SPACING = Duration.ofMinutes(1);

  private static final Logger log = LoggerFactory.getLogger("dev.weir.slots");

  private final SlotObserver next;
  private final Level assignedLevel;
  private final LongSupplier nanoTime;

  /** When the next line about contention may be logged. */
  private final AtomicLong nextContentionNanos;

  /** The contended batches since the last line about them. */
  private final AtomicLong unloggedContention = new AtomicLong();

  /**
   * Creates a log.
   *
   * @param logsAssigned whether each slot is logged at INFO; otherwise nothing is, for each request
   */
  public SlotLog(SlotObserver next, boolean logsAssigned) {
    this(next, logsAssigned, System::nanoTime);
  }

  SlotLog(SlotObserver next, boolean logsAssigned, LongSupplier nanoTime) {
    this.next = next;
    this.assignedLevel = logsAssigned ? Level.INFO : Level.DEBUG;
    this.nanoTime = nanoTime;
    this.nextContentionNanos = new AtomicLong(nanoTime.getAsLong());
  }

  @Override
  public void answered(Assignment assignment, Duration took) {
    next.answered(assignment, took);
    switch (assignment) {
      case Assignment.Assigned given -> {
        if (log.isEnabledForLevel(assignedLevel)) {
          Slot slot = given.slot();
          log.atLevel(assignedLevel)
              .addKeyValue("eventId", slot.eventId())
              .addKeyValue("configName", slot.configName())
              .addKeyValue("windowStart", slot.windowStart())
              .addKeyValue("scheduledTime", slot.scheduledTime())
              .log(given.replayed() ? "Slot given again" : "Slot assigned");
        }
      }
      // A time out of range is a mistake of the caller, not a lack of capacity.
      case Assignment.NoCapacity noCapacity ->
          log.atLevel(noCapacity.freeTime().isPresent() ? Level.ERROR : Level.DEBUG)
              .addKeyValue("eventId", noCapacity.request().eventId())
              .addKeyValue("configName", noCapacity.request().configName())
              .addKeyValue("freeTime", noCapacity.freeTime().map(Instant::toString).orElse("none"))
              .log("No free place within maxDelay");
      case Assignment.UnknownConfig unknown ->
          log.atDebug()
              .addKeyValue("eventId", unknown.request().eventId())
              .addKeyValue("configName", unknown.request().configName())
              .log("Unknown configuration");
    }
  }

  @Override
  public void failed(Duration took) {
    next.failed(took);
  }

  @Override
  public void waiting(int change) {
    next.waiting(change);
  }

  @Override
  public void batch(int demands) {
    next.batch(demands);
  }

  @Override
  public void contended() {
    next.contended();
    long batches = unloggedContention.incrementAndGet();
    long now = nanoTime.getAsLong();
    long due = nextContentionNanos.get();
    if (now - due >= 0
        && nextContentionNanos.compareAndSet(due, now + CONTENTION_SPACING.toNanos())) {
      unloggedContention.addAndGet(-batches);
      log.atInfo()
          .addKeyValue("batches", batches)
          .log("Other nodes wrote to the configurations of these batches, which were read again");
    }
  }

  @Override
  public void configCacheHit() {
    next.configCacheHit();
  }

  @Override
  public void configCacheMiss() {
    next.configCacheMiss();
  }

  @Override
  public void leaked(long slots) {
    next.leaked(slots);
    log.debug("{} slots are past their time and not confirmed", slots);
  }

  @Override
  public void reclaimed(int slots) {
    next.reclaimed(slots);
    if (slots > 0) {
      log.info("Took back {} leaked slots", slots);
    }
  }

  @Override
  public void removed(int slots) {
    next.removed(slots);
    if (slots > 0) {
      log.info("Removed {} slots older than the retention", slots);
    }
  }
}
