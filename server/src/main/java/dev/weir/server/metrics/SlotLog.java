package dev.weir.server.metrics;

import dev.weir.slots.Assignment;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotObserver;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Logs slot events and passes them on to another observer. Logs nothing per request at INFO. */
public final class SlotLog implements SlotObserver {
  private static final Logger log = LoggerFactory.getLogger("dev.weir.slots");

  private final SlotObserver next;

  public SlotLog(SlotObserver next) {
    this.next = next;
  }

  @Override
  public void answered(Assignment assignment, Duration took) {
    next.answered(assignment, took);
    switch (assignment) {
      case Assignment.Assigned given -> {
        if (log.isDebugEnabled()) {
          Slot slot = given.slot();
          log.atDebug()
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
