package dev.weir.torture.messages;

import dev.weir.torture.capability.Load;
import dev.weir.torture.capability.Round;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.stage.Client;
import dev.weir.torture.stage.Client.Matter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Callers that send messages: with a key until the answer is certain, with one key on two nodes at
 * the same moment, and without a key just once. Limits of some users change meanwhile. Every text
 * belongs to one message that a caller wanted to send.
 */
final class MessageLoad implements Load {
  /** Sends a message with its text as the key. */
  static final String SEND_ONCE = "send once";

  static final String SEND = "send";
  static final String LIMIT = "limit of user";
  static final String LOOK = "message";
  static final String USAGE = "usage of user";

  /** Longer than a round, so that each limit has one window. */
  private static final int WINDOW_MINUTES = 60;

  private static final int LIMIT_OF_MOST = 6;
  private static final int USERS = 60;

  /** The limits of the last ones change. */
  private static final int STEADY_USERS = 50;

  /** Users become hot one after the other. */
  private static final Duration HOT_TIME = Duration.ofSeconds(1);

  private static final int MAX_TRIES = 6;
  private static final Duration BOUND = Duration.ofMinutes(6);
  private static final Set<String> ENDED = Set.of("sent", "delivered", "failed");

  private final Round round;
  private final Client client;
  private final long firstUser;
  private final long beginNanos = System.nanoTime();
  private final AtomicLong texts = new AtomicLong();

  MessageLoad(Round round) {
    this.round = round;
    this.client = round.client();
    this.firstUser =
        Math.abs(Long.parseLong(round.name().substring(1), Character.MAX_RADIX)) * USERS;
  }

  @Override
  public void prepare() {
    for (int i = 0; i < USERS; i++) {
      long user = firstUser + i;
      client.until(() -> configure(user, LIMIT_OF_MOST, 0), 200);
    }
  }

  private Exchange configure(long user, int limit, int node) {
    return client.post(
        new Matter(LIMIT, Long.toString(user)),
        node,
        "/api/config",
        "{\"userId\":%d,\"rateLimit\":%d,\"timeWindow\":%d}"
            .formatted(user, limit, WINDOW_MINUTES));
  }

  @Override
  public void step(SplittableRandom random) {
    int node = random.nextInt(client.nodes());
    long user = user(random);
    String text = round.name() + "-t" + texts.incrementAndGet();
    switch (random.nextInt(10)) {
      case 0, 1, 2 -> send(user, text, false, node);
      case 3, 4 -> onTwoAtOnce(user, text, node);
      case 5 -> {
        insist(user, text, node);
        insist(user, text, node + 1);
      }
      default -> insist(user, text, node);
    }
  }

  private long user(SplittableRandom random) {
    long now = (System.nanoTime() - beginNanos) / HOT_TIME.toNanos();
    return firstUser + (random.nextInt(4) == 0 ? random.nextInt(USERS) : now % USERS);
  }

  private Exchange send(long user, String text, boolean isOnce, int node) {
    String json = "{\"userId\":%d,\"message\":\"%s\"}".formatted(user, text);
    int at = node % client.nodes();
    return isOnce
        ? client.postOnce(new Matter(SEND_ONCE, text), at, "/api/send", json, text)
        : client.post(new Matter(SEND, text), at, "/api/send", json);
  }

  /** Asks one node after the other until it is known whether the message is sent. */
  private void insist(long user, String text, int node) {
    for (int tries = 0; tries < MAX_TRIES; tries++) {
      Exchange answer = send(user, text, true, node + tries);
      if (answer.isDone() || answer.outcome() == Exchange.Outcome.REFUSED) {
        return;
      }
    }
  }

  private void onTwoAtOnce(long user, String text, int node) {
    Thread other = Thread.ofVirtual().start(() -> insist(user, text, node + 1));
    insist(user, text, node);
    try {
      other.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void change(SplittableRandom random) {
    long user = firstUser + random.nextInt(STEADY_USERS, USERS);
    configure(user, random.nextInt(1, 10), random.nextInt(client.nodes()));
  }

  /**
   * Waits until all messages have ended, and asks what became of each, and what users have used.
   */
  @Override
  public void finish() throws InterruptedException {
    Set<String> ids = new LinkedHashSet<>();
    for (Exchange exchange : round.history().exchanges()) {
      boolean isSend = exchange.kind().equals(SEND) || exchange.kind().equals(SEND_ONCE);
      if (isSend && exchange.isDone()) {
        ids.add(exchange.fields().text("messageId"));
      }
    }
    List<String> open = new ArrayList<>(ids);
    long deadlineNanos = System.nanoTime() + BOUND.toNanos();
    while (!open.isEmpty() && System.nanoTime() - deadlineNanos < 0) {
      open.removeIf(this::hasEnded);
      Thread.sleep(500);
    }
    for (int i = 0; i < USERS; i++) {
      long user = firstUser + i;
      client.until(
          () -> client.get(new Matter(USAGE, Long.toString(user)), 0, "/api/config/" + user), 200);
    }
  }

  private boolean hasEnded(String id) {
    Exchange look = client.get(new Matter(LOOK, id), 0, "/api/messages/" + id);
    return look.status() == 404 || (look.isDone() && ENDED.contains(look.fields().text("state")));
  }
}
