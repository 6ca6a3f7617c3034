package dev.weir.torture.limits;

import dev.weir.server.faults.Waiting;
import dev.weir.torture.capability.Load;
import dev.weir.torture.capability.Round;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.stage.Client;
import dev.weir.torture.stage.Client.Matter;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Callers that check limits of every kind, alone and together, with and without request ids. */
final class LimitLoad implements Load {
  static final String CHECK = "check";
  static final String PEEK = "peek";
  static final String RULE = "rule";

  /** A check of a rule that is not closed without its store. */
  static final String LENIENT = "check of a lenient rule";

  /** A peek while others take. */
  static final String LOOK = "look";

  /** A check of a key that has one caller, which does not wait long enough. */
  static final String SOON = "check too early";

  /** A check with the id of another request that was granted. */
  static final String REUSE = "reuse";

  /** The limit of the changing rule at the end, above all that was granted. */
  static final int FINAL_LIMIT = 100_000;

  static final int FINAL_WINDOW_SECONDS = 720_000;
  static final String BUCKET_RESOURCE = "bucket";

  private static final String CHECKS = "/api/v1/check";
  private static final String PEEKING = ",\"peek\":true";
  private static final String RULES = "/api/admin/rules";
  private static final Duration BOUND = Duration.ofMinutes(2);
  private static final String STORE = "store";
  private static final int MAX_WITHOUT_STORE = 6;
  private static final Duration KEY_TIME = Duration.ofSeconds(2);
  private static final List<LimitRule> ALONE =
      List.of(
          LimitRule.FIXED,
          LimitRule.SLIDING,
          LimitRule.BUCKET,
          LimitRule.CHANGING,
          LimitRule.FALLBACK);

  private final Round round;
  private final Client client;
  private final LeaseCaller leases;
  private final RuleLeaseCaller leasesOfRules;
  private final RefundCaller refunds;
  private final long beginNanos = System.nanoTime();
  private final AtomicLong ids = new AtomicLong();
  private volatile String changingPath = RULES;

  LimitLoad(Round round) {
    this.round = round;
    this.client = round.client();
    this.leases = new LeaseCaller(round);
    this.leasesOfRules = new RuleLeaseCaller(round);
    this.refunds = new RefundCaller(round);
  }

  @Override
  public void prepare() {
    for (LimitRule rule : LimitRule.values()) {
      Matter matter = new Matter(RULE, rule.name());
      // 409: an attempt without an answer has created it.
      client.until(() -> client.post(matter, 0, RULES, rule.json(round.name())), 201, 409);
    }
    String rules = client.until(() -> client.get(new Matter("list", RULE), 0, RULES), 200).answer();
    String name = LimitRule.CHANGING.name(round.name());
    Matcher id = Pattern.compile("\"id\":(\\d+),\"name\":\"" + name + "\"").matcher(rules);
    if (!id.find()) {
      throw new IllegalStateException("there is no rule " + name + " in " + rules);
    }
    changingPath = RULES + "/" + id.group(1);
    String bucket =
        "{\"capacity\":%d,\"refillRate\":%s}"
            .formatted(LimitRule.BUCKET.limit(), LimitRule.REFILL_RATE);
    client.until(
        () ->
            client.put(
                new Matter(RULE, BUCKET_RESOURCE), 0, "/api/v1/buckets/" + round.name(), bucket),
        200);
    leases.prepare();
    awaitStore("none");
  }

  /** Waits until every node knows the rules and decides by its store. */
  private void awaitStore(String key) {
    String peek = single(LimitRule.FIXED, key, PEEKING);
    for (int i = 0; i < client.nodes(); i++) {
      int node = i;
      Waiting.until(
          "a decision of the store by node " + (node + 1),
          BOUND,
          () ->
              client
                  .post(new Matter("wait", key), node, CHECKS, peek)
                  .answer()
                  .contains("\"mode\":\"store\""));
    }
  }

  @Override
  public void step(SplittableRandom random) {
    int node = random.nextInt(client.nodes());
    switch (random.nextInt(28)) {
      case 0, 1 -> leases.step(random, node);
      case 2 -> leasesOfRules.step(random, node, key(random));
      case 20, 21 -> refunds.step(random, node, key(random));
      case 22 -> withoutStore(LimitRule.LOCAL, random, node);
      case 23 -> withoutStore(LimitRule.OPEN, random, node);
      case 24 -> early(random, node);
      case 25, 26, 27 -> look(random, node);
      case 3, 4, 5 -> together(random, node);
      case 6, 7, 8, 9 -> once(random, node);
      case 10 -> sole(random, node);
      case 11, 12 -> acquire(random, node);
      default -> {
        LimitRule rule = ALONE.get(random.nextInt(ALONE.size()));
        String key = key(random);
        client.post(
            new Matter(CHECK, rule.subject(key)), node, CHECKS, single(rule, key, cost(random)));
      }
    }
  }

  /** Keys become hot one after the other; some checks are of keys of before. */
  private String key(SplittableRandom random) {
    long now = (System.nanoTime() - beginNanos) / KEY_TIME.toNanos();
    return "k" + (random.nextInt(6) == 0 ? random.nextLong(now + 1) : now);
  }

  private static String cost(SplittableRandom random) {
    return ",\"cost\":" + random.nextInt(1, 4);
  }

  private String single(LimitRule rule, String key, String more) {
    return rule.request(round.name(), key, more);
  }

  private String both(String key, int cost, String more) {
    String request = "{\"rule\":\"%s\",\"key\":\"%s\",\"cost\":%d}";
    return "{\"all\":[%s,%s]%s}"
        .formatted(
            request.formatted(LimitRule.FIRST.name(round.name()), key, cost),
            request.formatted(LimitRule.SECOND.name(round.name()), key, cost),
            more);
  }

  private void together(SplittableRandom random, int node) {
    String key = key(random);
    client.post(
        new Matter(CHECK, LimitRule.FIRST.subject(key)),
        node,
        CHECKS,
        both(key, random.nextInt(1, 3), ""));
  }

  /** A request with an id, on one node after the other; then another request with that id. */
  private void once(SplittableRandom random, int node) {
    String key = key(random);
    String id = round.name() + "-q" + ids.incrementAndGet();
    String more = cost(random) + ",\"requestId\":\"" + id + "\"";
    String request = single(LimitRule.ONCE, key, more);
    boolean isGranted = false;
    for (int tries = random.nextInt(1, 4); tries > 0; tries--) {
      Exchange answer =
          client.post(
              new Matter(CHECK, LimitRule.ONCE.subject(key)),
              (node + tries) % client.nodes(),
              CHECKS,
              request);
      isGranted |= answer.isDone();
    }
    if (isGranted && random.nextInt(4) == 0) {
      client.post(
          new Matter(REUSE, LimitRule.ONCE.subject("other")),
          node,
          CHECKS,
          single(LimitRule.ONCE, "other", more));
    }
  }

  /** Uses up a key of its own, waits as long as it is told, and asks again. */
  private void sole(SplittableRandom random, int node) {
    String key = "own" + ids.incrementAndGet();
    String request = single(LimitRule.SOLE, key, "");
    Matter matter = new Matter(CHECK, LimitRule.SOLE.subject(key));
    for (int i = 0; i <= LimitRule.SOLE.limit(); i++) {
      Exchange answer = client.post(matter, (node + i) % client.nodes(), CHECKS, request);
      if (answer.status() == 429) {
        // Rounded up to whole milliseconds, which is never too early.
        double seconds = Double.parseDouble(answer.fields().text("retryAfter"));
        try {
          Thread.sleep((long) Math.ceil(seconds * 1_000));
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
        client.post(matter, random.nextInt(client.nodes()), CHECKS, request);
        return;
      }
    }
  }

  /** Checks of a rule that goes on without its store: one, or several if that is not there. */
  private void withoutStore(LimitRule rule, SplittableRandom random, int node) {
    String key = key(random);
    boolean isWithout = true;
    // The share of a node is small, but one check does not use it up.
    for (int tries = 0; isWithout && tries < MAX_WITHOUT_STORE; tries++) {
      Exchange answer =
          client.post(
              new Matter(LENIENT, rule.subject(key)),
              node,
              CHECKS,
              single(rule, key, cost(random)));
      isWithout = answer.isDone() && !answer.fields().find("mode").orElse(STORE).equals(STORE);
    }
  }

  /** Looks most times, and takes sometimes. */
  private void look(SplittableRandom random, int node) {
    LimitRule rule = LimitRule.PEEKED;
    String key = key(random);
    if (random.nextInt(4) == 0) {
      client.post(new Matter(CHECK, rule.subject(key)), node, CHECKS, single(rule, key, ""));
    } else {
      client.post(new Matter(LOOK, rule.subject(key)), node, CHECKS, single(rule, key, PEEKING));
    }
  }

  /** Uses up a key of its own, and asks again before the time that it is told. */
  private void early(SplittableRandom random, int node) {
    LimitRule rule = LimitRule.EARLY;
    String key = "own" + ids.incrementAndGet();
    for (int i = 0; i <= rule.limit(); i++) {
      Exchange answer = askEarly(key, (node + i) % client.nodes());
      if (answer.status() == 429) {
        double seconds = Double.parseDouble(answer.fields().text("retryAfter"));
        try {
          Thread.sleep((long) (seconds * random.nextInt(300, 950)));
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
        askEarly(key, random.nextInt(client.nodes()));
        return;
      }
    }
  }

  private Exchange askEarly(String key, int node) {
    LimitRule rule = LimitRule.EARLY;
    return client.post(new Matter(SOON, rule.subject(key)), node, CHECKS, single(rule, key, ""));
  }

  private void acquire(SplittableRandom random, int node) {
    client.post(
        new Matter(CHECK, BUCKET_RESOURCE),
        node,
        "/api/v1/buckets/" + round.name() + "/acquire",
        "{\"tokens\":%d}".formatted(random.nextInt(1, 4)));
  }

  @Override
  public void change(SplittableRandom random) {
    int limit = random.nextInt(6, 20);
    int windowSeconds = 7_200 * random.nextInt(1, 11);
    client.put(
        new Matter(RULE, LimitRule.CHANGING.name()),
        random.nextInt(client.nodes()),
        changingPath,
        LimitRule.CHANGING.json(round.name(), limit, windowSeconds));
  }

  /** Asks how much each key has used. */
  @Override
  public void finish() {
    awaitStore("none");
    Waiting.until(
        "the last limit",
        BOUND,
        () ->
            client
                .put(
                    new Matter(RULE, LimitRule.CHANGING.name()),
                    0,
                    changingPath,
                    LimitRule.CHANGING.json(round.name(), FINAL_LIMIT, FINAL_WINDOW_SECONDS))
                .isDone());
    Set<String> subjects =
        round.history().exchanges().stream()
            .filter(exchange -> exchange.kind().equals(CHECK))
            .map(Exchange::subject)
            .collect(Collectors.toCollection(LinkedHashSet::new));
    for (String subject : subjects) {
      String key = subject.substring(subject.indexOf('/') + 1);
      for (LimitRule rule :
          List.of(
              LimitRule.FIXED,
              LimitRule.SLIDING,
              LimitRule.ONCE,
              LimitRule.CHANGING,
              LimitRule.PEEKED)) {
        if (subject.equals(rule.subject(key))) {
          peek(subject, single(rule, key, PEEKING));
        }
      }
      if (subject.equals(LimitRule.FIRST.subject(key))) {
        peek(subject, both(key, 1, PEEKING));
      }
    }
    for (String subject : refunds.subjects()) {
      String key = subject.substring(subject.indexOf('/') + 1);
      peek(RefundCaller.LEFT, subject, single(LimitRule.REFUNDED, key, PEEKING));
    }
  }

  private void peek(String subject, String json) {
    peek(PEEK, subject, json);
  }

  private void peek(String kind, String subject, String json) {
    Waiting.until(
        "what is left of " + subject,
        BOUND,
        () -> {
          Exchange answer = client.post(new Matter(kind, subject), 0, CHECKS, json);
          return answer.status() == 200 || answer.status() == 429;
        });
  }
}
