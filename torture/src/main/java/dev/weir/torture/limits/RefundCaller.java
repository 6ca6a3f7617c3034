package dev.weir.torture.limits;

import dev.weir.torture.capability.Round;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.stage.Client;
import dev.weir.torture.stage.Client.Matter;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A caller that gives back a part of what it was granted: with the id of the request, once or more
 * often, or without an id, once; and that also lies.
 */
final class RefundCaller {
  /** A check that may be given back. */
  static final String TAKE = "take";

  static final String GIVE = "give back";

  /** A refund with the id of another request. */
  static final String LIE = "give back another request";

  /** What is left of a key at the end. */
  static final String LEFT = "left";

  private static final String CHECKS = "/api/v1/check";
  private static final String REFUNDS = "/api/v1/refund";
  private static final int MAX_TRIES = 3;

  private final Round round;
  private final Client client;
  private final AtomicLong ids = new AtomicLong();
  private final Set<String> subjects = new ConcurrentSkipListSet<>();

  RefundCaller(Round round) {
    this.round = round;
    this.client = round.client();
  }

  /** The keys that were used. */
  Set<String> subjects() {
    return subjects;
  }

  void step(SplittableRandom random, int node, String sharedKey) {
    if (random.nextInt(4) == 0) {
      withoutId(random, node);
    } else {
      withId(random, node, sharedKey);
    }
  }

  private Exchange send(String kind, String path, String key, int node, String more) {
    String subject = LimitRule.REFUNDED.subject(key);
    subjects.add(subject);
    return client.post(
        new Matter(kind, subject),
        node % client.nodes(),
        path,
        LimitRule.REFUNDED.request(round.name(), key, more));
  }

  private void withId(SplittableRandom random, int node, String key) {
    String id = round.name() + "-g" + ids.incrementAndGet();
    int cost = random.nextInt(1, 4);
    String more = more(cost, id);
    boolean isGranted = false;
    for (int tries = 0; tries < MAX_TRIES && !isGranted; tries++) {
      Exchange taken = send(TAKE, CHECKS, key, node + tries, more);
      isGranted = taken.isDone();
      if (taken.outcome() == Exchange.Outcome.REFUSED) {
        return;
      }
    }
    if (!isGranted) {
      return;
    }
    if (random.nextInt(4) == 0) {
      send(LIE, REFUNDS, key, node + 1, more(cost + 1, id));
    }
    if (random.nextInt(4) == 0) {
      // Of an id that is not known, which gives nothing back.
      send(LIE, REFUNDS, key, node + 1, more(cost, id + "-unknown"));
    }
    if (random.nextInt(2) == 0) {
      for (int times = random.nextInt(1, 4); times > 0; times--) {
        send(GIVE, REFUNDS, key, node + times, more);
      }
    }
  }

  private static String more(int cost, String id) {
    return ",\"cost\":%d,\"requestId\":\"%s\"".formatted(cost, id);
  }

  /** With a key of its own, so that no other grant has the same time. */
  private void withoutId(SplittableRandom random, int node) {
    String key = "own" + ids.incrementAndGet();
    int cost = random.nextInt(1, 4);
    String more = ",\"cost\":" + cost;
    Exchange first = send(TAKE, CHECKS, key, node, more);
    send(TAKE, CHECKS, key, node + 1, more);
    if (first.isDone()) {
      String decidedAt = first.fields().text("decidedAt");
      send(GIVE, REFUNDS, key, node + 2, more + ",\"decidedAt\":\"" + decidedAt + "\"");
    }
  }
}
