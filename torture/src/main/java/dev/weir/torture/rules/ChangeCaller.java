package dev.weir.torture.rules;

import dev.weir.torture.capability.Round;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.stage.Client;
import dev.weir.torture.stage.Client.Matter;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Callers that change rules and see by which version they are decided: each version of a rule has a
 * limit of its own, which is in the header fields of every answer.
 */
final class ChangeCaller {
  static final String VERSION = "version";
  static final String CHANGE = "change version";

  /** Reads a counter that is the limit of a rule. */
  static final String READ = "read";

  /** Adds one to it, unless it has changed meanwhile. */
  static final String ADD = "add";

  static final String CREATE = "create temporary";
  static final String REMOVE = "remove temporary";

  /** A check of a rule that was created by the same node. */
  static final String PRESENT = "check of a created rule";

  /** A check of a rule that was removed by the same node. */
  static final String ABSENT = "check of a removed rule";

  static final long FIRST_LIMIT = 1_000;

  private static final String COUNTER = "counter";

  /** Far longer than {@code weir.limits.cache-ttl}, for a busy machine. */
  private static final Duration BOUND = Duration.ofMinutes(2);

  private final RuleRegister register;
  private final Client client;
  private final AtomicLong limits = new AtomicLong(FIRST_LIMIT);
  private final AtomicLong names = new AtomicLong();
  private volatile String versionPath = "";
  private volatile String counterPath = "";

  ChangeCaller(Round round, RuleRegister register) {
    this.register = register;
    this.client = round.client();
  }

  void prepare() {
    versionPath = register.create(VERSION, register.json(VERSION, FIRST_LIMIT, ""));
    counterPath = register.create(COUNTER, register.json(COUNTER, FIRST_LIMIT, ""));
  }

  void step(SplittableRandom random) {
    int node = random.nextInt(client.nodes());
    switch (random.nextInt(6)) {
      case 0 -> add(node);
      case 1 -> temporary(node);
      case 2 -> change(node);
      default -> look(node);
    }
  }

  private Exchange look(int node) {
    return register.check(VERSION, VERSION, node, VERSION, "any", ",\"peek\":true");
  }

  /** Changes a rule, and looks by which version the same node decides then. */
  private Exchange change(int node) {
    long limit = limits.incrementAndGet();
    Exchange changed =
        client.put(
            new Matter(CHANGE, VERSION), node, versionPath, register.json(VERSION, limit, ""));
    look(node);
    return changed;
  }

  private void add(int node) {
    Exchange read = read(node);
    if (!read.isDone()) {
      return;
    }
    long limit = read(read) + 1;
    register.putIfMatch(
        new Matter(ADD, COUNTER),
        (node + 1) % client.nodes(),
        counterPath,
        register.json(COUNTER, limit, ""),
        read.fields().text("ETag"));
  }

  private Exchange read(int node) {
    return client.send(new Matter(READ, COUNTER), node, counterPath, get -> get.GET(), counterPath);
  }

  /** The counter that was read. */
  static long read(Exchange read) {
    return RuleCheck.body(read).number("allowedRequests");
  }

  /** A rule that lasts for two requests. */
  private void temporary(int node) {
    String name = "temporary" + names.incrementAndGet();
    Exchange created =
        client.post(new Matter(CREATE, name), node, RuleRegister.RULES, register.json(name, 5, ""));
    if (!created.isDone()) {
      return;
    }
    register.check(PRESENT, name, node, name, "any", "");
    String path = RuleRegister.RULES + "/" + created.fields().text("id");
    if (client.delete(new Matter(REMOVE, name), node, path).isDone()) {
      register.check(ABSENT, name, node, name, "any", "");
    }
  }

  /** Changes a rule for the last time, and waits until all nodes decide by it, but not for ever. */
  void finish(PatientAsker asker) throws InterruptedException {
    asker.until(() -> read(0), 200);
    asker.until(() -> change(0), 200);
    long deadlineNanos = System.nanoTime() + BOUND.toNanos();
    for (int node = 0; node < client.nodes(); node++) {
      while (!isLast(look(node)) && System.nanoTime() - deadlineNanos < 0) {
        Thread.sleep(100);
      }
    }
  }

  private boolean isLast(Exchange look) {
    return look.fields().find("X-RateLimit-Limit").orElse("").equals(Long.toString(limits.get()));
  }
}
