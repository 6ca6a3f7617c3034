package dev.weir.torture.limits;

import dev.weir.torture.capability.Round;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.stage.Client;
import dev.weir.torture.stage.Client.Matter;
import java.util.SplittableRandom;

/** A caller that takes leases of a resource, renews them, gives them back or forgets them. */
final class LeaseCaller {
  static final String LEASE = "lease";
  static final String RENEW = "renew";
  static final String RELEASE = "release";
  static final int MAX_CONCURRENT = 3;

  private static final String TIME_TO_LIVE = "PT4S";

  private final Client client;
  private final String path;

  LeaseCaller(Round round) {
    this.client = round.client();
    this.path = "/api/v1/concurrency/" + round.name();
  }

  void prepare() {
    String terms =
        "{\"maxConcurrent\":%d,\"leaseTtl\":\"%s\"}".formatted(MAX_CONCURRENT, TIME_TO_LIVE);
    client.until(() -> client.put(new Matter(LimitLoad.RULE, LEASE), 0, path, terms), 200);
  }

  void step(SplittableRandom random, int node) {
    Exchange taken =
        client.post(
            new Matter(LEASE, LEASE),
            node,
            path + "/leases",
            "{\"count\":%d}".formatted(random.nextInt(1, 3)));
    if (!taken.isDone()) {
      return;
    }
    String id = taken.fields().text("leaseId");
    hold(random);
    if (random.nextInt(3) == 0) {
      client.put(new Matter(RENEW, id), random.nextInt(client.nodes()), path + "/leases/" + id, "");
      hold(random);
    }
    // Some holders die.
    if (random.nextInt(6) > 0) {
      client.delete(
          new Matter(RELEASE, id), random.nextInt(client.nodes()), path + "/leases/" + id);
    }
  }

  static void hold(SplittableRandom random) {
    try {
      Thread.sleep(random.nextInt(10, 300));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
