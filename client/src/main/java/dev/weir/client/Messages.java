package dev.weir.client;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/** The messages to users, each within the limit of its user. Thread-safe. */
public final class Messages {
  private static final int DEFERRED = 202;

  private final Transport transport;

  Messages(Transport transport) {
    this.transport = transport;
  }

  /** Sends a message; one whose answer is lost is requested again by its idempotency key. */
  public SendResult send(OutgoingMessage message) {
    Call call =
        Call.post("/api/send")
            .json(
                JsonText.object(
                    json -> {
                      json.writeNumberField("userId", message.userId());
                      json.writeStringField("message", message.text());
                      json.writeStringField(
                          "whenClosed", message.isDeferrable() ? "defer" : "refuse");
                    }))
            .header("Idempotency-Key", message.idempotencyKey())
            .repeatable();
    try {
      return transport.send(
          call,
          reply ->
              reply.status() == DEFERRED
                  ? new SendResult.Deferred(Message.read(reply.json()))
                  : new SendResult.Accepted(
                      Message.id(reply.json()), reply.json().requiredNumber("parts")));
    } catch (ProblemException refused) {
      return refused(refused);
    } catch (UnansweredException unanswered) {
      return new SendResult.Undecided(unanswered);
    }
  }

  private SendResult refused(ProblemException refused) {
    Problem problem = refused.problem();
    try {
      if (problem.is("outside-hours") || problem.is("too-many-deferred")) {
        return new SendResult.Closed(problem.json().time("opensAt"), problem);
      }
    } catch (IOException notWeir) {
      throw UnansweredException.notWeir(transport.server(), refused.outcome(), notWeir);
    }
    if (problem.is("message-failed")) {
      return new SendResult.Failed(problem);
    }
    if (problem.is("unknown-user")) {
      return new SendResult.UnknownUser(problem);
    }
    if (problem.isRefusal()) {
      return new SendResult.Limited(
          problem
              .json()
              .seconds("retryAfter")
              .or(() -> refused.reply().retryAfter())
              .orElse(Duration.ZERO),
          problem);
    }
    if (problem.isFaultOfRequest()) {
      throw refused;
    }
    return new SendResult.Undecided(refused);
  }

  /** Returns what became of a message, if the server still has it. */
  public Optional<Message> find(UUID messageId) {
    try {
      return transport.send(
          Call.get(path(messageId)), reply -> Optional.of(Message.read(reply.json())));
    } catch (ProblemException refused) {
      if (refused.problem().is("unknown-message")) {
        return Optional.empty();
      }
      throw refused;
    }
  }

  /** Cancels a deferred message. */
  public Cancellation cancel(UUID messageId) {
    return Cancellation.of(transport, Call.delete(path(messageId)));
  }

  private static String path(UUID messageId) {
    return "/api/messages/" + messageId;
  }
}
