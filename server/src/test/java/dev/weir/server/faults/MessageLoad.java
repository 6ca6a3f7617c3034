package dev.weir.server.faults;

import dev.weir.server.faults.MessageHistory.Attempt;
import dev.weir.server.faults.MessageHistory.Verdict;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Callers that send messages, with a key until they have an answer that is certain and without one
 * just once, while windows end and limits change. Every answer is noted. What a node must not
 * answer, fault or not, is kept as unexpected.
 */
final class MessageLoad implements AutoCloseable {
  static final int USERS = 8;

  /** Longer than a run, so that windows end only when they are moved. */
  static final Duration WINDOW = Duration.ofHours(1);

  private static final Duration BOUND = Duration.ofMinutes(3);
  private static final long PAUSE_NANOS = Duration.ofMillis(20).toNanos();
  private static final int MAX_LIMIT = 8;
  private static final int MAX_UNEXPECTED = 20;
  private static final Pattern MESSAGE_ID = Pattern.compile("\"messageId\":\"([0-9a-f-]{36})\"");

  private final Target target;
  private final MessageTables tables;
  private final RedisProcess redis;
  private final long firstUser;
  private final Map<Long, Map<Long, Long>> limits = new ConcurrentHashMap<>();
  private final Queue<Attempt> attempts = new ConcurrentLinkedQueue<>();
  private final Queue<String> unexpected = new ConcurrentLinkedQueue<>();
  private final AtomicLong sent = new AtomicLong();
  private final AtomicLong unavailable = new AtomicLong();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<Future<?>> callers = new ArrayList<>();
  private volatile String excused = "";
  private volatile boolean isEnding;

  MessageLoad(Target target, MessageTables tables, RedisProcess redis, long firstUser) {
    this.target = target;
    this.tables = tables;
    this.redis = redis;
    this.firstUser = firstUser;
  }

  long lastUser() {
    return firstUser + USERS - 1;
  }

  /** Gives each user a limit, and starts callers and one that changes limits and time. */
  void start(int count) throws Exception {
    for (long user = firstUser; user <= lastUser(); user++) {
      configure(user, 5);
    }
    for (int i = 0; i < count; i++) {
      String name = firstUser + "-" + i;
      long seed = firstUser + i;
      callers.add(threads.submit(() -> call(name, new SplittableRandom(seed))));
    }
    callers.add(threads.submit(() -> change(new SplittableRandom(firstUser - 1))));
  }

  /** Allows answers 503 with this title. */
  void excuse(String title) {
    excused = title;
  }

  /** Waits until more messages were answered with 200. */
  void awaitSent(long more) {
    long enough = sent.get() + more;
    Waiting.until(
        more + " more messages, unexpected so far: " + unexpected,
        BOUND,
        () -> sent.get() >= enough || !unexpected.isEmpty());
  }

  /** Waits until a request was answered with 503. */
  void awaitUnavailable() {
    long enough = unavailable.get() + 1;
    Waiting.until(
        "an answer 503", BOUND, () -> unavailable.get() >= enough || !unexpected.isEmpty());
  }

  void finish() throws InterruptedException, ExecutionException {
    isEnding = true;
    for (Future<?> caller : callers) {
      caller.get();
    }
  }

  List<Attempt> attempts() {
    return List.copyOf(attempts);
  }

  List<String> unexpected() {
    return List.copyOf(unexpected);
  }

  /** Returns every limit that a user has had, by its version. */
  Map<Long, Long> limits(long userId) {
    return Map.copyOf(limits.get(userId));
  }

  @Override
  public void close() {
    isEnding = true;
    threads.shutdownNow();
    threads.close();
  }

  private Void call(String name, SplittableRandom random) throws Exception {
    for (int n = 0; !isEnding; n++) {
      long user = random.nextLong(firstUser, lastUser() + 1);
      String text = name + "-" + n;
      switch (random.nextInt(10)) {
        case 0 -> sendTwiceAtATime(user, text);
        case 1 -> {
          sendWithKey(user, text);
          sendWithKey(user, text);
        }
        case 2, 3, 4, 5 -> sendWithKey(user, text);
        default -> {
          if (!isSent(send(user, text, Optional.empty()))) {
            LockSupport.parkNanos(PAUSE_NANOS);
          }
        }
      }
    }
    return null;
  }

  private void sendTwiceAtATime(long user, String text) throws Exception {
    Future<?> other = threads.submit(() -> sendWithKey(user, text));
    sendWithKey(user, text);
    other.get();
  }

  /** Repeats a request until its answer is certain. */
  private Void sendWithKey(long user, String text) throws InterruptedException {
    Optional<String> key = Optional.of("key-" + text);
    Verdict verdict = send(user, text, key);
    while (!isEnding && !isAnswer(verdict)) {
      LockSupport.parkNanos(PAUSE_NANOS);
      verdict = send(user, text, key);
    }
    if (!isSent(verdict)) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    return null;
  }

  /** Who is refused pauses; otherwise refusals, which are cheap, would be most of the load. */
  private static boolean isSent(Verdict verdict) {
    return verdict instanceof Verdict.Sent;
  }

  private static boolean isAnswer(Verdict verdict) {
    return switch (verdict) {
      case Verdict.Sent sent -> true;
      case Verdict.Refused refused -> refused.status() == 429;
      case Verdict.Unknown unknown -> false;
    };
  }

  private Verdict send(long user, String text, Optional<String> key) throws InterruptedException {
    String body = "{\"userId\":%d,\"message\":\"%s\"}".formatted(user, text);
    Target.Excuse before = target.excuse();
    long beganNanos = System.nanoTime();
    Verdict verdict;
    try {
      HttpResponse<String> response =
          key.isPresent()
              ? target.api.postOnce("/api/send", body, key.get())
              : target.api.post("/api/send", body);
      verdict = verdict(response);
    } catch (IOException e) {
      if (!before.covers(e) && !target.excuse().covers(e)) {
        unexpected("%s broke off: %s".formatted(text, e));
      }
      verdict = new Verdict.Unknown(e.toString());
    }
    attempts.add(new Attempt(user, key, text, verdict, beganNanos, System.nanoTime()));
    return verdict;
  }

  private Verdict verdict(HttpResponse<String> response) {
    String body = response.body();
    switch (response.statusCode()) {
      case 200 -> {
        Matcher id = MESSAGE_ID.matcher(body);
        if (id.find()) {
          sent.incrementAndGet();
          return new Verdict.Sent(UUID.fromString(id.group(1)));
        }
      }
      case 429 -> {
        if (body.contains("\"title\":\"Rate Limit Exceeded\"")
            && response.headers().firstValue("Retry-After").orElse("").matches("[1-9]\\d*")) {
          return new Verdict.Refused(429);
        }
      }
      case 503 -> {
        if (isExcused(body)) {
          unavailable.incrementAndGet();
          return body.contains("\"outcome\":\"none\"")
              ? new Verdict.Refused(503)
              : new Verdict.Unknown(body);
        }
      }
      default -> {}
    }
    unexpected("%s %s".formatted(response, body));
    return new Verdict.Unknown(body);
  }

  private boolean isExcused(String body) {
    String title = excused;
    return !title.isEmpty() && body.contains("\"title\":\"" + title + "\"");
  }

  private void unexpected(String what) {
    if (unexpected.size() < MAX_UNEXPECTED) {
      unexpected.add(what);
    }
  }

  /** Changes limits, and lets windows end. */
  private Void change(SplittableRandom random) throws Exception {
    while (!isEnding) {
      long user = random.nextLong(firstUser, lastUser() + 1);
      if (random.nextInt(3) == 0) {
        configure(user, random.nextInt(1, MAX_LIMIT + 1));
      } else {
        endWindow(user);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    return null;
  }

  /** Sets a limit, if that can be done, and notes what the limit is then. */
  private void configure(long user, int limit) throws InterruptedException, SQLException {
    Target.Excuse before = target.excuse();
    try {
      HttpResponse<String> response =
          target.api.post(
              "/api/config",
              "{\"userId\":%d,\"rateLimit\":%d,\"timeWindow\":%d}"
                  .formatted(user, limit, WINDOW.toMinutes()));
      boolean isExcused = response.statusCode() == 503 && isExcused(response.body());
      if (response.statusCode() != 200 && !isExcused) {
        unexpected("%s %s".formatted(response, response.body()));
      }
    } catch (IOException e) {
      if (!before.covers(e) && !target.excuse().covers(e)) {
        unexpected("the change of a limit broke off: " + e);
      }
    }
    Optional<MessageTables.User> known = Optional.empty();
    while (known.isEmpty() && !isEnding) {
      known = find(user);
    }
    known.ifPresent(
        now ->
            limits
                .computeIfAbsent(user, any -> new ConcurrentHashMap<>())
                .put(now.version(), now.rateLimit()));
  }

  private Optional<MessageTables.User> find(long user) {
    try {
      return tables.user(user);
    } catch (SQLException e) {
      // The database is down.
      LockSupport.parkNanos(PAUSE_NANOS);
      return Optional.empty();
    }
  }

  private void endWindow(long user) {
    try {
      // Twice the window, so that two of them cannot touch if the first message was withdrawn.
      tables.move(user, WINDOW.multipliedBy(2));
    } catch (SQLException e) {
      // The database is down.
      return;
    }
    try {
      redis.ask("DEL RateLimiterCache:{" + user + "}");
    } catch (IOException e) {
      // Redis is down, and has forgotten it.
    }
  }
}
