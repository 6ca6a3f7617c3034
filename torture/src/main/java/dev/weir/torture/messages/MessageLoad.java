package dev.weir.torture.messages;

import dev.weir.server.faults.Waiting;
import dev.weir.torture.capability.Load;
import dev.weir.torture.capability.Round;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.history.Json;
import dev.weir.torture.stage.Client;
import dev.weir.torture.stage.Client.Matter;
import dev.weir.torture.stage.SmsProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;

/**
 * Callers that send messages: with a key until the answer is certain, with one key on two nodes at
 * the same moment, and without a key just once; many to a recipient that fails, and some to
 * recipients that hang. Limits of some users change meanwhile. Every text belongs to one message
 * that a caller wanted to send.
 *
 * <p>In the end, all messages of other recipients are awaited; then the provider is repaired, and
 * all others are; then dead letters are replayed.
 */
final class MessageLoad implements Load {
  /** Sends a message with its text as the key. */
  static final String SEND_ONCE = "send once";

  static final String SEND = "send";
  static final String LIMIT = "limit of user";
  static final String LOOK = "message";

  /** What became of a message while some recipients still failed. */
  static final String LOOK_BEFORE_REPAIR = "message before the repair";

  /** What became of a dead letter that was replayed. */
  static final String LOOK_AFTER_REPLAY = "message after the replay";

  static final String REPLAY = "replay";
  static final String USAGE = "usage of user";

  /** Longer than a round, so that each limit has one window. */
  private static final int WINDOW_MINUTES = 60;

  private static final int LIMIT_OF_MOST = 6;
  private static final int USERS = 60;

  /** The limits of the last ones change. */
  private static final int STEADY_USERS = 50;

  private static final int HANGING_USERS = 6;

  /** Users that get a message when all others wait. */
  private static final int LATE_USERS = 8;

  private static final int ALL_USERS = USERS + 1 + HANGING_USERS + LATE_USERS;
  private static final int LIMIT_OF_FAILING = 1_000_000;

  /** How many messages the recipient that fails has to wait in the end. */
  private static final int FLOOD = 150;

  private static final int MAX_FLOOD = 400;
  private static final int FLOODED_TOGETHER = 15;

  /** Users become hot one after the other. */
  private static final Duration HOT_TIME = Duration.ofSeconds(1);

  private static final String PATH = "/api/messages/";
  private static final int MAX_TRIES = 6;

  private final Round round;
  private final Client client;
  private final long firstUser;
  private final long beginNanos = System.nanoTime();
  private final AtomicLong texts = new AtomicLong();
  private final AtomicInteger flooded = new AtomicInteger();
  private final SmsProvider provider;

  MessageLoad(Round round) {
    this.round = round;
    this.client = round.client();
    this.firstUser =
        Math.abs(Long.parseLong(round.name().substring(1), Character.MAX_RADIX)) * ALL_USERS;
    this.provider = round.stage().messages().orElseThrow().provider();
  }

  @Override
  public void prepare() {
    provider.reject(true);
    provider.fail(failingUser());
    hangingUsers().forEach(provider::hang);
    for (int i = 0; i < ALL_USERS; i++) {
      long user = firstUser + i;
      int limit = isStuck(user) ? LIMIT_OF_FAILING : LIMIT_OF_MOST;
      client.until(() -> configure(user, limit, 0), 200);
    }
  }

  private long failingUser() {
    return firstUser + USERS;
  }

  private LongStream hangingUsers() {
    return LongStream.range(0, HANGING_USERS).map(i -> failingUser() + 1 + i);
  }

  /** Returns true for a recipient that fails or hangs until the provider is repaired. */
  private boolean isStuck(long user) {
    return user >= failingUser() && user <= failingUser() + HANGING_USERS;
  }

  private LongStream lateUsers() {
    return LongStream.range(0, LATE_USERS).map(i -> failingUser() + 1 + HANGING_USERS + i);
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
    String text = text();
    switch (random.nextInt(12)) {
      case 0, 1, 2 -> send(user, text, false, node);
      case 3, 4 -> onTwoAtOnce(user, text, node);
      case 5 -> {
        insist(user, text, node);
        insist(user, text, node + 1);
      }
      case 6 -> {
        if (flooded.get() < MAX_FLOOD) {
          flood(node);
        }
      }
      case 7 -> {
        if (random.nextInt(4) == 0) {
          insist(failingUser() + 1 + random.nextInt(HANGING_USERS), text, node);
        }
      }
      default -> insist(user, text, node);
    }
  }

  private String text() {
    return round.name() + "-t" + texts.incrementAndGet();
  }

  /** Sends messages to the recipient that fails. */
  private void flood(int node) {
    List<Thread> senders = new ArrayList<>();
    for (int i = 0; i < FLOODED_TOGETHER; i++) {
      int at = node + i;
      senders.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    if (send(failingUser(), text(), true, at).isDone()) {
                      flooded.incrementAndGet();
                    }
                  }));
    }
    try {
      for (Thread sender : senders) {
        sender.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
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
    Waiting.until(
        "many messages to the recipient that fails",
        () -> {
          flood(flooded.get());
          return flooded.get() >= FLOOD;
        });
    lateUsers().forEach(user -> insist(user, text(), 0));
    await(
        LOOK_BEFORE_REPAIR,
        ids(user -> !isStuck(user)),
        round.maxWait().dividedBy(3).multipliedBy(2));
    provider.repair();
    Set<String> deadLetters = await(LOOK, ids(user -> true), round.maxWait());
    // Whatever was rejected may be sent now.
    provider.reject(false);
    client.until(
        () -> client.post(new Matter(REPLAY, round.name()), 0, "/api/admin/messages/replay", ""),
        200);
    awaitSent(deadLetters);
    for (int i = 0; i < ALL_USERS; i++) {
      long user = firstUser + i;
      client.until(
          () -> client.get(new Matter(USAGE, Long.toString(user)), 0, "/api/config/" + user), 200);
    }
  }

  /** The ids of messages that were accepted. */
  private Set<String> ids(LongPredicate isOfUser) {
    Set<String> ids = new LinkedHashSet<>();
    for (Exchange exchange : round.history().exchanges()) {
      boolean isSend = exchange.kind().equals(SEND) || exchange.kind().equals(SEND_ONCE);
      if (isSend
          && exchange.isDone()
          && isOfUser.test(Json.read(exchange.request()).number("userId"))) {
        ids.add(exchange.fields().text("messageId"));
      }
    }
    return ids;
  }

  /** Waits until messages have ended, and returns those of them that are dead letters. */
  private Set<String> await(String kind, Set<String> ids, Duration bound)
      throws InterruptedException {
    Set<String> deadLetters = new LinkedHashSet<>();
    Set<String> open = new LinkedHashSet<>(ids);
    long deadlineNanos = System.nanoTime() + bound.toNanos();
    while (!open.isEmpty() && System.nanoTime() - deadlineNanos < 0) {
      for (String id : List.copyOf(open)) {
        Exchange look = client.get(new Matter(kind, id), 0, PATH + id);
        if (MessageState.isDeadLetter(look)) {
          deadLetters.add(id);
        }
        if (look.status() == 404 || MessageState.isEnded(look)) {
          open.remove(id);
        }
      }
      Thread.sleep(open.isEmpty() ? 0 : 500);
    }
    return deadLetters;
  }

  private void awaitSent(Set<String> replayed) throws InterruptedException {
    List<String> open = new ArrayList<>(replayed);
    long deadlineNanos = System.nanoTime() + round.maxWait().toNanos();
    while (!open.isEmpty() && System.nanoTime() - deadlineNanos < 0) {
      open.removeIf(
          id -> MessageState.isSent(client.get(new Matter(LOOK_AFTER_REPLAY, id), 0, PATH + id)));
      Thread.sleep(open.isEmpty() ? 0 : 500);
    }
  }
}
