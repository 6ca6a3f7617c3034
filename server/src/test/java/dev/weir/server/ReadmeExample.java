package dev.weir.server;

import static dev.weir.engine.slots.SlotObserver.NONE;

import dev.weir.core.slots.SlotPolicy;
import dev.weir.engine.slots.Assignment;
import dev.weir.engine.slots.ConfigCache;
import dev.weir.engine.slots.MemorySlotLedger;
import dev.weir.engine.slots.SlotRequest;
import dev.weir.engine.slots.SlotScheduler;
import java.time.Clock;
import java.time.Duration;
import java.util.SplittableRandom;

/** The Java of the README, compiled. */
final class ReadmeExample {
  private ReadmeExample() {}

  static Assignment run() {
    // begin
    var ledger = new MemorySlotLedger(Clock.systemUTC(), new SplittableRandom(), 1_000_000);
    ledger.configure("bank-api", SlotPolicy.of(200, Duration.ofSeconds(4)));
    var cache = new ConfigCache(ledger, Duration.ofSeconds(5), System::nanoTime, NONE);
    var desk = new SlotScheduler(ledger, cache, SlotScheduler.Settings.DEFAULT, NONE);
    Assignment answer = desk.assign(SlotRequest.now("pay-1", "bank-api"));
    // end
    return answer;
  }
}
