package dev.weir.torture.limits;

import dev.weir.torture.capability.Round;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.stage.Client;
import dev.weir.torture.stage.Client.Matter;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A caller of a rule of concurrency: takes leases by checks, renews them and gives them back by
 * refunds, or forgets them. With a key of its own, it takes all places again when they are free.
 */
final class RuleLeaseCaller {
  /** A check of a key that only this caller uses, and that has no lease for certain. */
  static final String AGAIN = "lease of free places";

  private static final String CHECKS = "/api/v1/check";

  private final Round round;
  private final Client client;
  private final AtomicLong keys = new AtomicLong();

  RuleLeaseCaller(Round round) {
    this.round = round;
    this.client = round.client();
  }

  void step(SplittableRandom random, int node, String sharedKey) {
    if (random.nextInt(3) == 0) {
      takeAllTwice(node);
    } else {
      take(random, node, sharedKey);
    }
  }

  private void take(SplittableRandom random, int node, String key) {
    int places = random.nextInt(1, 3);
    Exchange taken = take(LeaseCaller.LEASE, key, places, node);
    if (!taken.isDone()) {
      return;
    }
    String id = taken.fields().text("leaseId");
    LeaseCaller.hold(random);
    if (random.nextInt(3) == 0) {
      client.post(
          new Matter(LeaseCaller.RENEW, id),
          random.nextInt(client.nodes()),
          "/api/v1/renew",
          LimitRule.LEASED.request(round.name(), key, lease(places, id)));
      LeaseCaller.hold(random);
    }
    // Some holders die.
    if (random.nextInt(6) > 0) {
      giveBack(key, places, id, random.nextInt(client.nodes()));
    }
  }

  private Exchange take(String kind, String key, int places, int node) {
    return client.post(
        new Matter(kind, LimitRule.LEASED.subject(key)),
        node,
        CHECKS,
        LimitRule.LEASED.request(round.name(), key, ",\"cost\":" + places));
  }

  private static String lease(int places, String id) {
    return ",\"cost\":%d,\"leaseId\":\"%s\"".formatted(places, id);
  }

  private Exchange giveBack(String key, int places, String id, int node) {
    return client.post(
        new Matter(LeaseCaller.RELEASE, id),
        node,
        "/api/v1/refund",
        LimitRule.LEASED.request(round.name(), key, lease(places, id)));
  }

  private void takeAllTwice(int node) {
    String key = "own" + keys.incrementAndGet();
    int all = LimitRule.LEASED.limit();
    Exchange first = take(LeaseCaller.LEASE, key, all, node);
    if (first.isDone()
        && giveBack(key, all, first.fields().text("leaseId"), (node + 1) % client.nodes())
            .isDone()) {
      take(AGAIN, key, all, (node + 2) % client.nodes());
    }
  }
}
