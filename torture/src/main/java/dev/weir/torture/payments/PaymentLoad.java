package dev.weir.torture.payments;

import dev.weir.torture.capability.Load;
import dev.weir.torture.capability.Round;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.stage.Client;
import dev.weir.torture.stage.Client.Matter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Callers that send feeds, again after a failure and on two nodes at the same moment, some with
 * payments of another feed, some that differ from what they are said to have; that cancel payments
 * and feeds, hold and resume feeds, try again what failed, and look at payments.
 */
final class PaymentLoad implements Load {
  static final String FEEDS = "/api/v1/payments/feeds";
  static final String SEND = "feed";

  /** A feed that is said to have what it does not have. */
  static final String SEND_WRONG = "wrong feed";

  static final String HOLD = "hold";
  static final String RESUME = "resume";
  static final String RETRY = "retry";
  static final String CANCEL_FEED = "cancel feed";
  static final String CANCEL = "cancel payment";

  /** What became of a payment, and of a feed, at any time. */
  static final String LOOK = "payment";

  static final String PROGRESS = "progress";

  private static final String PAYMENTS = "/api/v1/payments/";
  private static final int MAX_TRIES = 6;
  private static final int MAX_RESUMES = 40;

  /** More are not made in time. */
  private static final int MAX_PAYMENTS = 300;

  private static final int PER_SECOND = 12;

  private final Round round;
  private final Client client;
  private final String config;
  private final AtomicInteger payments = new AtomicInteger();
  private final List<Feed> feeds = new CopyOnWriteArrayList<>();
  private final List<Feed> wrongFeeds = new CopyOnWriteArrayList<>();

  PaymentLoad(Round round) {
    this.round = round;
    this.client = round.client();
    this.config = round.name() + "-payments";
  }

  @Override
  public void prepare() {
    client.until(() -> configure(PER_SECOND, 0), 200, 201);
  }

  private Exchange configure(int perSecond, int node) {
    return client.post(
        new Matter("configure", config),
        node,
        "/admin/rate-limit/config",
        "{\"configName\":\"%s\",\"maxPerWindow\":%d,\"windowSize\":\"PT1S\"}"
            .formatted(config, perSecond));
  }

  @Override
  public void step(SplittableRandom random) {
    int node = random.nextInt(client.nodes());
    int choice = feeds.isEmpty() ? 0 : random.nextInt(20);
    switch (choice) {
      case 0, 1, 2, 3 -> send(random, node);
      case 4, 5, 6 -> {
        String id = payment(random);
        client.delete(new Matter(CANCEL, id), node, PAYMENTS + id);
        look(id, random);
      }
      case 7, 8 -> hold(random, node);
      case 9 -> act(CANCEL_FEED, "cancel", feed(random), node);
      case 10, 11 -> act(RETRY, "retry", feed(random), node);
      default -> look(payment(random), random);
    }
    pause(random, 50, 600);
  }

  private void send(SplittableRandom random, int node) {
    int count = random.nextInt(1, 9);
    int last = payments.addAndGet(count);
    if (last > MAX_PAYMENTS) {
      return;
    }
    Set<String> ids = new LinkedHashSet<>();
    for (int i = 0; i < count; i++) {
      ids.add(round.name() + "-p" + (last - i));
    }
    if (random.nextInt(6) == 0) {
      Feed wrong =
          new Feed(round.name() + "-w" + last, config, List.copyOf(ids), "", Feed.Totals.WRONG);
      wrongFeeds.add(wrong);
      insist(wrong, node);
      return;
    }
    String requestedTime = "";
    if (random.nextInt(3) > 0) {
      requestedTime =
          Instant.now().plusMillis(random.nextInt(5_000)).truncatedTo(ChronoUnit.MILLIS).toString();
    }
    if (!feeds.isEmpty() && random.nextInt(4) == 0) {
      Feed other = feed(random);
      requestedTime = other.requestedTime();
      ids.add(other.paymentIds().get(random.nextInt(other.paymentIds().size())));
    }
    Feed feed =
        new Feed(
            round.name() + "-f" + last,
            config,
            List.copyOf(ids),
            requestedTime,
            random.nextBoolean() ? Feed.Totals.RIGHT : Feed.Totals.NONE);
    feeds.add(feed);
    if (random.nextInt(4) == 0) {
      Thread copy = Thread.ofVirtual().start(() -> insist(feed, node + 1));
      insist(feed, node);
      join(copy);
    } else {
      insist(feed, node);
    }
  }

  /** Sends a feed to one node after the other until it is received. */
  private void insist(Feed feed, int node) {
    for (int tries = 0; tries < MAX_TRIES; tries++) {
      Exchange answer =
          client.postCsv(
              new Matter(feed.totals() == Feed.Totals.WRONG ? SEND_WRONG : SEND, feed.id()),
              (node + tries) % client.nodes(),
              feed.path(),
              feed.csv());
      boolean isRefused =
          feed.totals() == Feed.Totals.WRONG && answer.outcome() == Exchange.Outcome.REFUSED;
      if (answer.isDone() || isRefused) {
        return;
      }
    }
  }

  private Feed feed(SplittableRandom random) {
    return feeds.get(random.nextInt(feeds.size()));
  }

  private String payment(SplittableRandom random) {
    List<String> ids = feed(random).paymentIds();
    return ids.get(random.nextInt(ids.size()));
  }

  private void look(String id, SplittableRandom random) {
    client.get(new Matter(LOOK, id), random.nextInt(client.nodes()), PAYMENTS + id);
  }

  private Exchange act(String kind, String action, Feed feed, int node) {
    return client.post(
        new Matter(kind, feed.id()), node, FEEDS + "/" + feed.id() + "/" + action, "");
  }

  private void hold(SplittableRandom random, int node) {
    Feed feed = feed(random);
    act(HOLD, "hold", feed, node);
    pause(random, 200, 3_000);
    for (int tries = 0; tries < MAX_RESUMES; tries++) {
      Exchange answer = act(RESUME, "resume", feed, (node + tries) % client.nodes());
      if (answer.isDone() || answer.status() == 404) {
        return;
      }
      pause(random, 50, 200);
    }
  }

  private static void pause(SplittableRandom random, int minMillis, int maxMillis) {
    try {
      Thread.sleep(random.nextInt(minMillis, maxMillis));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void change(SplittableRandom random) {
    configure(random.nextInt(8, 16), random.nextInt(client.nodes()));
  }

  /** Resumes what is held, lets all payments end, and asks what became of each. */
  @Override
  public void finish() throws InterruptedException {
    for (Feed feed : feeds) {
      client.until(() -> act(RESUME, "resume", feed, 0), 200, 404);
    }
    List<Feed> open = new ArrayList<>(feeds);
    long deadlineNanos = System.nanoTime() + round.maxWait().toNanos();
    while (!open.isEmpty() && System.nanoTime() - deadlineNanos < 0) {
      Thread.sleep(500);
      open.removeIf(this::isOver);
    }
    for (Feed feed : Stream.concat(feeds.stream(), wrongFeeds.stream()).toList()) {
      for (String id : feed.paymentIds()) {
        client.until(() -> client.get(new Matter(LOOK, id), 0, PAYMENTS + id), 200, 404);
      }
    }
  }

  /** Returns true if all payments of a feed have ended, or if it never arrived as a whole. */
  private boolean isOver(Feed feed) {
    Exchange answer = client.get(new Matter(PROGRESS, feed.id()), 0, FEEDS + "/" + feed.id());
    return answer.status() == 404
        || (answer.isDone()
            && List.of("DONE", "RECEIVING").contains(answer.fields().text("state")));
  }
}
