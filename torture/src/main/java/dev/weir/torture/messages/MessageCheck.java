package dev.weir.torture.messages;

import dev.weir.torture.capability.Check;
import dev.weir.torture.capability.Findings;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.capability.Round;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.history.Exchange.Outcome;
import dev.weir.torture.history.Json;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.stream.Stream;

/** Checks M1 to M8 from what callers were answered and what the provider was handed. */
final class MessageCheck implements Check {
  private static final int NOT_FOUND = 404;

  private final Round round;

  MessageCheck(Round round) {
    this.round = round;
  }

  @Override
  public void check(Findings findings) {
    List<Exchange> exchanges = round.history().exchanges();
    List<Exchange> calls =
        round.stage().messages().orElseThrow().provider().calls().stream()
            .filter(
                call -> Json.read(call.request()).text("message").startsWith(round.name() + "-"))
            .toList();
    check(
        exchanges,
        calls,
        round.stage().messages().orElseThrow().provider()::hasTakenBefore,
        findings);
    calls.forEach(round.history()::add);
  }

  static void check(
      List<Exchange> exchanges,
      List<Exchange> calls,
      BiPredicate<String, Long> isTaken,
      Findings findings) {
    Map<String, Message> messages = new LinkedHashMap<>();
    Map<String, Exchange> looks = new LinkedHashMap<>();
    Map<String, Exchange> beforeRepair = new LinkedHashMap<>();
    Map<String, Exchange> afterReplay = new LinkedHashMap<>();
    for (Exchange exchange : exchanges) {
      switch (exchange.kind()) {
        case MessageLoad.SEND, MessageLoad.SEND_ONCE ->
            messages.computeIfAbsent(exchange.subject(), Message::new).sends.add(exchange);
        case MessageLoad.LOOK -> looks.put(exchange.subject(), exchange);
        case MessageLoad.LOOK_BEFORE_REPAIR -> beforeRepair.put(exchange.subject(), exchange);
        case MessageLoad.LOOK_AFTER_REPLAY -> afterReplay.put(exchange.subject(), exchange);
        default -> {}
      }
    }
    for (Exchange call : calls) {
      String text = Json.read(call.request()).text("message");
      messages.computeIfAbsent(text, Message::new).calls.add(call);
    }
    for (Message message : messages.values()) {
      message.check(looks, isTaken, findings);
    }
    beforeRepair.values().forEach(look -> notKeptBack(look, findings));
    afterReplay.values().forEach(look -> replayed(look, isTaken, findings));
    Map<String, List<Message>> byUser = new LinkedHashMap<>();
    messages
        .values()
        .forEach(
            message ->
                byUser.computeIfAbsent(message.user(), any -> new ArrayList<>()).add(message));
    byUser.forEach((user, of) -> new User(user, of, exchanges).check(looks, findings));
  }

  /** Recipients that fail or hang keep no other one waiting. */
  private static void notKeptBack(Exchange look, Findings findings) {
    findings.looked(Promise.M7, 1);
    if (!MessageState.isEnded(look) && look.status() != NOT_FOUND) {
      findings.broken(
          Promise.M7,
          "message %s is %s while another recipient fails"
              .formatted(look.subject(), MessageState.of(look)),
          List.of(look));
    }
  }

  /** A dead letter that is replayed when nothing fails any more is sent. */
  private static void replayed(
      Exchange look, BiPredicate<String, Long> isTaken, Findings findings) {
    findings.looked(Promise.M8, 1);
    if (!MessageState.isSent(look) || !isTaken.test(look.subject(), look.endNanos())) {
      findings.broken(
          Promise.M8,
          "message %s was replayed and is %s; the provider %s it"
              .formatted(
                  look.subject(),
                  MessageState.of(look),
                  isTaken.test(look.subject(), look.endNanos()) ? "has" : "does not have"),
          List.of(look));
    }
  }

  /** A message that a caller wanted to send, by its text. */
  private static final class Message {
    private final String text;
    private final List<Exchange> sends = new ArrayList<>();
    private final List<Exchange> calls = new ArrayList<>();

    Message(String text) {
      this.text = text;
    }

    String user() {
      Exchange any = sends.isEmpty() ? calls.getFirst() : sends.getFirst();
      return Json.read(any.request()).text("userId");
    }

    boolean isAccepted() {
      return sends.stream().anyMatch(Exchange::isDone);
    }

    boolean mayBeAccepted() {
      return sends.stream().anyMatch(send -> send.isDone() || send.isUnknown());
    }

    Stream<String> ids() {
      return Stream.concat(
              sends.stream().filter(Exchange::isDone).map(send -> send.fields().text("messageId")),
              calls.stream().map(Exchange::subject))
          .distinct();
    }

    boolean isGivenUp(Map<String, Exchange> looks) {
      return ids()
          .flatMap(id -> Optional.ofNullable(looks.get(id)).stream())
          .anyMatch(MessageState::isGivenUp);
    }

    List<Exchange> witness() {
      List<Exchange> witness = new ArrayList<>(sends);
      witness.addAll(calls);
      return witness;
    }

    void check(Map<String, Exchange> looks, BiPredicate<String, Long> isTaken, Findings findings) {
      findings.looked(Promise.M3, 1);
      if (ids().count() > 1) {
        findings.broken(
            Promise.M3, "%s has the messages %s".formatted(text, ids().toList()), witness());
      }
      findings.looked(Promise.M4, 1);
      if (!calls.isEmpty() && !mayBeAccepted()) {
        findings.broken(
            Promise.M4, text + " was refused for certain, and the provider got it", witness());
      }
      if (isAccepted()) {
        kept(looks, isTaken, findings);
      }
    }

    /** What was accepted ends, and is taken by the provider unless it says why not. */
    private void kept(
        Map<String, Exchange> looks, BiPredicate<String, Long> isTaken, Findings findings) {
      findings.looked(Promise.M2, 1);
      String id = ids().findFirst().orElseThrow();
      Optional<Exchange> look = Optional.ofNullable(looks.get(id)).filter(Exchange::isDone);
      String state = look.map(MessageState::of).orElse("not known");
      boolean isTrue =
          look.isPresent()
              && (MessageState.isGivenUp(look.get())
                  || (MessageState.isSent(look.get()) && isTaken.test(id, look.get().endNanos()))
                  || (MessageState.isFailed(look.get())
                      && !isTaken.test(id, look.get().endNanos())));
      if (!isTrue) {
        List<Exchange> witness = witness();
        look.ifPresent(witness::add);
        findings.broken(
            Promise.M2,
            "%s was accepted and is %s; the provider %s it"
                .formatted(
                    text,
                    state,
                    look.filter(last -> isTaken.test(id, last.endNanos())).isPresent()
                        ? "has"
                        : "does not have"),
            witness);
      }
    }
  }

  /** A user with all messages. */
  private static final class User {
    private final String id;
    private final List<Message> messages;
    private final List<Exchange> limits;
    private final Optional<Exchange> usage;

    User(String id, List<Message> messages, List<Exchange> exchanges) {
      this.id = id;
      this.messages = messages;
      this.limits = of(exchanges, MessageLoad.LIMIT).toList();
      this.usage = of(exchanges, MessageLoad.USAGE).filter(Exchange::isDone).reduce((a, b) -> b);
    }

    private Stream<Exchange> of(List<Exchange> exchanges, String kind) {
      return exchanges.stream()
          .filter(exchange -> exchange.kind().equals(kind) && exchange.subject().equals(id));
    }

    void check(Map<String, Exchange> looks, Findings findings) {
      limit(findings);
      order(looks, findings);
    }

    /** A change resets the count, so that each may have allowed its limit. */
    private void limit(Findings findings) {
      findings.looked(Promise.M1, 1);
      long allowed =
          limits.stream()
              .filter(limit -> limit.outcome() != Outcome.NONE)
              .mapToLong(limit -> Json.read(limit.request()).number("rateLimit"))
              .sum();
      List<Message> sent =
          messages.stream()
              .filter(message -> message.isAccepted() || !message.calls.isEmpty())
              .toList();
      List<Exchange> witness = sent.stream().map(message -> message.witness().getFirst()).toList();
      if (sent.size() > allowed) {
        findings.broken(
            Promise.M1,
            "user %s was sent %d messages of %d".formatted(id, sent.size(), allowed),
            witness);
      }
      // Attempts to set the first limit may have been repeated before anything was sent.
      boolean isSteady =
          limits.stream().map(Exchange::request).distinct().count() == 1
              && messages.stream()
                  .flatMap(message -> message.sends.stream())
                  .allMatch(send -> limits.stream().allMatch(limit -> limit.precedes(send)));
      if (isSteady && usage.isPresent()) {
        findings.looked(Promise.M5, 1);
        long used = usage.get().fields().number("currentCount");
        long most = messages.stream().filter(Message::mayBeAccepted).count();
        if (used < sent.size() || used > most) {
          findings.broken(
              Promise.M5,
              "user %s was sent %d to %d messages, and %d are counted"
                  .formatted(id, sent.size(), most, used),
              Stream.concat(witness.stream(), usage.stream()).toList());
        }
      }
    }

    /**
     * A message that was accepted before another was sent is handed over before it. One that was
     * given up is not compared: if the provider stands still until then, it meets the calls of both
     * at the same moment, in any order.
     */
    private void order(Map<String, Exchange> looks, Findings findings) {
      List<Message> inOrder =
          messages.stream()
              .filter(message -> !message.calls.isEmpty() && !message.sends.isEmpty())
              .filter(message -> !message.isGivenUp(looks))
              .sorted(Comparator.comparingLong(message -> message.calls.getFirst().beginNanos()))
              .toList();
      for (int i = 0; i < inOrder.size(); i++) {
        for (int j = i + 1; j < inOrder.size(); j++) {
          findings.looked(Promise.M6, 1);
          Optional<Exchange> later =
              inOrder.get(j).sends.stream()
                  .filter(Exchange::isDone)
                  .min(Comparator.comparingLong(Exchange::endNanos));
          boolean isSwapped =
              later.isPresent()
                  && inOrder.get(i).sends.stream().allMatch(send -> later.get().precedes(send));
          if (isSwapped) {
            List<Exchange> witness = new ArrayList<>(inOrder.get(i).witness());
            witness.addAll(inOrder.get(j).witness());
            findings.broken(
                Promise.M6,
                "%s was accepted before %s was sent, and handed over after it"
                    .formatted(inOrder.get(j).text, inOrder.get(i).text),
                witness);
            return;
          }
        }
      }
    }
  }
}
