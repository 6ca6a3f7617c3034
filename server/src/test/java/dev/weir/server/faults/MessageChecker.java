package dev.weir.server.faults;

import dev.weir.server.faults.MessageHistory.Attempt;
import dev.weir.server.faults.MessageHistory.Counted;
import dev.weir.server.faults.MessageHistory.Delivered;
import dev.weir.server.faults.MessageHistory.OnTopic;
import dev.weir.server.faults.MessageHistory.User;
import dev.weir.server.faults.MessageHistory.Verdict;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

/** Finds what must not be in a {@link MessageHistory}. */
final class MessageChecker {
  private final MessageHistory history;
  private final Map<UUID, Counted> counted = new HashMap<>();

  /** The first copy of each message, in the order of the topic. */
  private final Map<UUID, OnTopic> onTopic = new LinkedHashMap<>();

  private final List<Violation> violations = new ArrayList<>();

  /** What is claimed about messages. */
  enum Claim {
    /** No user is above the limit in any window. */
    LIMIT,
    /** A message that was answered with 200 is counted, and on the topic. */
    KEPT,
    /** A key, and a text, has one message. */
    ONCE,
    /** A request that was refused for certain has left nothing. */
    REFUSED,
    /** A user's count is that of the messages in the current window. */
    COUNT,
    /** What is counted is on the topic, and the other way round. */
    COMPLETE,
    /** A message on the topic is handed over once, and nothing else is. */
    DELIVERED,
    /** A user's messages keep their order: on the topic, and when they are handed over. */
    ORDER
  }

  /** Something that contradicts a claim. */
  record Violation(Claim claim, String detail) {}

  private MessageChecker(MessageHistory history) {
    this.history = history;
    history.counted().forEach(message -> counted.put(message.messageId(), message));
    history.topic().stream()
        .sorted(Comparator.comparingInt(OnTopic::partition).thenComparingLong(OnTopic::offset))
        .forEach(record -> onTopic.putIfAbsent(record.messageId(), record));
  }

  static List<Violation> check(MessageHistory history) {
    MessageChecker checker = new MessageChecker(history);
    checker.checkLimits();
    checker.checkAnswers();
    checker.checkOnce();
    checker.checkRefused();
    checker.checkCounts();
    checker.checkComplete();
    checker.checkDelivered();
    checker.checkOrder();
    return List.copyOf(checker.violations);
  }

  private void violated(Claim claim, String details) {
    violations.add(new Violation(claim, details));
  }

  /** A window begins with the first message after the previous one has ended. */
  private void checkLimits() {
    for (User user : history.users()) {
      Map<Long, List<Counted>> byVersion =
          history.counted().stream()
              .filter(message -> message.userId() == user.userId())
              .collect(Collectors.groupingBy(Counted::version, TreeMap::new, Collectors.toList()));
      byVersion.forEach((version, messages) -> checkWindows(user, version, messages));
    }
  }

  private void checkWindows(User user, long version, List<Counted> messages) {
    Long limit = user.limits().get(version);
    if (limit == null) {
      violated(Claim.LIMIT, "user %d never had version %d".formatted(user.userId(), version));
      return;
    }
    List<Counted> inOrder =
        messages.stream().sorted(Comparator.comparingLong(Counted::takenAtMicros)).toList();
    long beganMicros = inOrder.getFirst().takenAtMicros();
    long used = 0;
    for (Counted message : inOrder) {
      if (message.takenAtMicros() - beganMicros >= user.windowMicros()) {
        beganMicros = message.takenAtMicros();
        used = 0;
      }
      used += message.cost();
      if (used > limit) {
        violated(
            Claim.LIMIT,
            "user %d has %d of %d in the window from %d, version %d: %s"
                .formatted(user.userId(), used, limit, beganMicros, version, message));
      }
    }
  }

  private void checkAnswers() {
    for (Attempt attempt : history.attempts()) {
      if (attempt.verdict() instanceof Verdict.Sent sent) {
        Counted stored = counted.get(sent.messageId());
        OnTopic published = onTopic.get(sent.messageId());
        if (stored == null
            || stored.userId() != attempt.userId()
            || !stored.text().equals(attempt.text())
            || !stored.key().equals(attempt.key())) {
          violated(Claim.KEPT, "%s is counted as %s".formatted(attempt, stored));
        }
        if (published == null) {
          violated(Claim.KEPT, "%s is not on the topic".formatted(attempt));
        }
      }
    }
  }

  private void checkOnce() {
    Map<String, Set<UUID>> byKey = new TreeMap<>();
    Map<String, Set<UUID>> byText = new TreeMap<>();
    for (Attempt attempt : history.attempts()) {
      if (attempt.verdict() instanceof Verdict.Sent sent) {
        add(byKey, attempt.userId(), attempt.key(), sent.messageId());
        byText.computeIfAbsent(attempt.text(), any -> new HashSet<>()).add(sent.messageId());
      }
    }
    for (Counted message : history.counted()) {
      add(byKey, message.userId(), message.key(), message.messageId());
      byText.computeIfAbsent(message.text(), any -> new HashSet<>()).add(message.messageId());
    }
    for (OnTopic record : history.topic()) {
      byText.computeIfAbsent(record.text(), any -> new HashSet<>()).add(record.messageId());
    }
    refuseSeveral("key", byKey);
    refuseSeveral("text", byText);
  }

  private static void add(
      Map<String, Set<UUID>> byKey, long userId, Optional<String> key, UUID messageId) {
    key.ifPresent(
        given ->
            byKey.computeIfAbsent(userId + "/" + given, any -> new HashSet<>()).add(messageId));
  }

  private void refuseSeveral(String what, Map<String, Set<UUID>> messages) {
    messages.forEach(
        (name, ids) -> {
          if (ids.size() > 1) {
            violated(Claim.ONCE, "%s %s has the messages %s".formatted(what, name, ids));
          }
        });
  }

  /** Requests with one key are one: each but the refused may have left the message. */
  private void checkRefused() {
    Map<String, List<Attempt>> byText =
        history.attempts().stream().collect(Collectors.groupingBy(Attempt::text));
    Set<String> left = new HashSet<>();
    history.counted().forEach(message -> left.add(message.text()));
    history.topic().forEach(record -> left.add(record.text()));
    byText.forEach(
        (text, attempts) -> {
          boolean isRefused =
              attempts.stream().allMatch(attempt -> attempt.verdict() instanceof Verdict.Refused);
          if (isRefused && left.contains(text)) {
            violated(Claim.REFUSED, "%s has left a message".formatted(attempts));
          }
        });
  }

  private void checkCounts() {
    for (User user : history.users()) {
      long used =
          history.counted().stream()
              .filter(message -> message.userId() == user.userId())
              .filter(message -> message.version() == user.version())
              .filter(message -> message.takenAtMicros() >= user.windowBeganMicros())
              .mapToLong(Counted::cost)
              .sum();
      if (used != user.used()) {
        violated(Claim.COUNT, "%s should have the count %d".formatted(user, used));
      }
    }
  }

  private void checkComplete() {
    for (Counted message : history.counted()) {
      OnTopic record = onTopic.get(message.messageId());
      if (record == null) {
        violated(Claim.COMPLETE, "%s is not on the topic".formatted(message));
      }
    }
    for (OnTopic record : history.topic()) {
      Counted message = counted.get(record.messageId());
      if (message == null
          || message.userId() != record.userId()
          || !message.text().equals(record.text())) {
        violated(Claim.COMPLETE, "%s is counted as %s".formatted(record, message));
      }
    }
  }

  private void checkDelivered() {
    Map<Delivered, Long> times =
        history.delivered().stream()
            .collect(Collectors.groupingBy(each -> each, Collectors.counting()));
    Set<Delivered> published = new HashSet<>();
    onTopic
        .values()
        .forEach(record -> published.add(new Delivered(record.userId(), record.text())));
    for (Delivered message : published) {
      long handedOver = times.getOrDefault(message, 0L);
      if (handedOver != 1) {
        violated(Claim.DELIVERED, "%s was handed over %d times".formatted(message, handedOver));
      }
    }
    times
        .keySet()
        .forEach(
            message -> {
              if (!published.contains(message)) {
                violated(Claim.DELIVERED, "%s is not on the topic".formatted(message));
              }
            });
  }

  private void checkOrder() {
    Map<Long, List<OnTopic>> byUser =
        onTopic.values().stream().collect(Collectors.groupingBy(OnTopic::userId));
    byUser.forEach(
        (userId, records) -> {
          if (records.stream().map(OnTopic::partition).distinct().count() > 1) {
            violated(Claim.ORDER, "user %d has several partitions".formatted(userId));
          }
          checkAnsweredOrder(records);
          checkDeliveredOrder(userId, records);
        });
  }

  /** A message that was answered before another was asked for comes before it. */
  private void checkAnsweredOrder(List<OnTopic> records) {
    long latestBeganNanos = Long.MIN_VALUE;
    for (OnTopic record : records) {
      List<Attempt> attempts =
          history.attempts().stream()
              .filter(attempt -> attempt.text().equals(record.text()))
              .toList();
      long earliestEndedNanos =
          attempts.stream()
              .filter(attempt -> attempt.verdict() instanceof Verdict.Sent)
              .mapToLong(Attempt::endedNanos)
              .min()
              .orElse(Long.MAX_VALUE);
      if (earliestEndedNanos < latestBeganNanos) {
        violated(
            Claim.ORDER, "%s comes after a message that was asked for later".formatted(record));
      }
      latestBeganNanos =
          Math.max(
              latestBeganNanos,
              attempts.stream().mapToLong(Attempt::beganNanos).min().orElse(Long.MIN_VALUE));
    }
  }

  private void checkDeliveredOrder(long userId, Collection<OnTopic> records) {
    List<String> published = records.stream().map(OnTopic::text).toList();
    List<String> delivered =
        history.delivered().stream()
            .filter(message -> message.userId() == userId)
            .map(Delivered::text)
            .distinct()
            .filter(published::contains)
            .toList();
    if (!published.stream().filter(delivered::contains).toList().equals(delivered)) {
      violated(
          Claim.ORDER,
          "user %d got %s, and on the topic they are %s".formatted(userId, delivered, published));
    }
  }
}
