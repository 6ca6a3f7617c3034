package dev.weir.torture.rules;

import dev.weir.torture.capability.Load;
import dev.weir.torture.capability.Round;
import java.time.Duration;
import java.util.SplittableRandom;

/** Callers of rules with queues, of rules that change, and of rules for proxies. */
final class RuleLoad implements Load {
  /** Keys become hot one after the other. */
  private static final Duration KEY_TIME = Duration.ofSeconds(3);

  private final Round round;
  private final RuleRegister register;
  private final QueueCaller queues;
  private final ChangeCaller changes;
  private final AuthorizeCaller proxies;
  private final long beginNanos = System.nanoTime();

  RuleLoad(Round round) {
    this.round = round;
    this.register = new RuleRegister(round);
    this.queues = new QueueCaller(round, register);
    this.changes = new ChangeCaller(round, register);
    this.proxies = new AuthorizeCaller(round, register);
  }

  @Override
  public void prepare() {
    queues.prepare();
    changes.prepare();
    proxies.prepare();
    // The last one: nodes read all rules together.
    register.awaitEverywhere(AuthorizeCaller.AUTHORIZE);
  }

  @Override
  public void step(SplittableRandom random) {
    String key = "k" + (System.nanoTime() - beginNanos) / KEY_TIME.toNanos();
    switch (random.nextInt(8)) {
      case 0, 1 -> queues.step(random, key);
      case 2, 3 -> proxies.step(random, key);
      default -> changes.step(random);
    }
  }

  /** Rules are changed in each step. */
  @Override
  public void change(SplittableRandom random) {}

  @Override
  public void finish() throws InterruptedException {
    queues.finish(round.client()::until);
    changes.finish(round.client()::until);
  }
}
