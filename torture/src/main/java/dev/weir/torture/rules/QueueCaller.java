package dev.weir.torture.rules;

import dev.weir.torture.capability.Round;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentSkipListSet;

/** Callers that come together, on all nodes, to a rule with a queue. */
final class QueueCaller {
  static final String QUEUE = "queue";

  /** What is left of a key at the end. */
  static final String LEFT = "left of queue";

  static final int LIMIT = 3;
  static final int PLACES = 3;
  static final int DELAY_MILLIS = 400;

  private static final int TOGETHER = 4;

  private final RuleRegister register;
  private final int nodes;
  private final Set<String> keys = new ConcurrentSkipListSet<>();

  QueueCaller(Round round, RuleRegister register) {
    this.register = register;
    this.nodes = round.client().nodes();
  }

  void prepare() {
    String queue =
        ",\"queueEnabled\":true,\"maxQueueSize\":%d,\"delayPerRequestMs\":%d"
            .formatted(PLACES, DELAY_MILLIS);
    register.create(QUEUE, register.json(QUEUE, LIMIT, queue));
  }

  void step(SplittableRandom random, String key) {
    keys.add(key);
    int node = random.nextInt(nodes);
    List<Thread> others = new ArrayList<>();
    for (int i = 1; i < TOGETHER; i++) {
      int other = (node + i) % nodes;
      others.add(Thread.ofVirtual().start(() -> ask(other, key)));
    }
    ask(node, key);
    try {
      for (Thread other : others) {
        other.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void ask(int node, String key) {
    register.check(QUEUE, key, node, QUEUE, key, "");
  }

  /** Asks what is left of each key. */
  void finish(PatientAsker asker) {
    for (String key : keys) {
      asker.until(() -> register.check(LEFT, key, 0, QUEUE, key, ",\"peek\":true"), 200, 429);
    }
  }
}
