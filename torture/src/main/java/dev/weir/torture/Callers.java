package dev.weir.torture;

import dev.weir.torture.capability.Load;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Threads that call the nodes at a steady pace, and change what holds for them now and then. */
final class Callers {
  /** Callers that never pause would take the processor from a node that starts again. */
  private static final Duration PAUSE = Duration.ofMillis(25);

  private static final Duration CHANGE_PAUSE = Duration.ofSeconds(3);

  private final List<Thread> threads = new ArrayList<>();
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private volatile boolean isEnding;

  /** What a thread does again and again. */
  private interface Turn {
    void take(SplittableRandom random);
  }

  static Callers start(List<Load> loads, int callers, long seed) {
    Callers all = new Callers();
    SplittableRandom random = new SplittableRandom(seed);
    for (Load load : loads) {
      for (int i = 0; i < callers; i++) {
        all.add(load::step, PAUSE, random.split());
      }
      all.add(load::change, CHANGE_PAUSE, random.split());
    }
    return all;
  }

  private void add(Turn turn, Duration pause, SplittableRandom random) {
    threads.add(
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    while (!isEnding) {
                      Thread.sleep(pause);
                      turn.take(random);
                    }
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  } catch (RuntimeException e) {
                    failures.add(e);
                  }
                }));
  }

  /** Lets each caller finish what it is at, and waits for that. */
  void end(Duration bound) throws InterruptedException {
    isEnding = true;
    for (Thread thread : threads) {
      if (!thread.join(bound)) {
        throw new IllegalStateException("a caller still waits for an answer after " + bound);
      }
    }
    if (!failures.isEmpty()) {
      throw new IllegalStateException("a caller has failed", failures.peek());
    }
  }
}
