package dev.weir.notifications.server;

import dev.weir.http.fields.Fields;
import dev.weir.http.json.Snippet;
import dev.weir.notifications.messages.MessageState;
import java.util.Optional;
import java.util.UUID;

/** Reads delivery receipts. */
final class ReceiptJson {
  private ReceiptJson() {}

  /**
   * A delivery receipt.
   *
   * @param state {@link MessageState#DELIVERED} or {@link MessageState#FAILED}
   * @param reason why it failed; empty if it is not known
   */
  record Receipt(UUID messageId, MessageState state, Optional<String> reason) {}

  private enum Outcome {
    DELIVERED,
    FAILED
  }

  /**
   * Reads a receipt.
   *
   * @throws dev.weir.http.problems.ProblemException if it is invalid, naming every invalid field
   */
  static Receipt read(Object document) {
    Fields fields = Fields.of(document);
    Optional<String> id = fields.required("messageId", fields.text("messageId"));
    id.filter(text -> MessageIdText.read(text).isEmpty())
        .ifPresent(
            text ->
                fields.wrong(
                    "messageId", "must be the id of a message, a UUID, not " + Snippet.of(text)));
    Optional<Outcome> outcome = fields.required("state", fields.choice("state", Outcome.values()));
    Optional<String> reason = fields.text("reason");
    if (reason.isPresent() && outcome.equals(Optional.of(Outcome.DELIVERED))) {
      fields.wrong("reason", "is only for messages that have failed");
    }
    fields.refuseOthers();
    fields.throwIfWrong();
    return new Receipt(
        id.flatMap(MessageIdText::read).orElseThrow(),
        switch (outcome.orElseThrow()) {
          case DELIVERED -> MessageState.DELIVERED;
          case FAILED -> MessageState.FAILED;
        },
        reason.filter(text -> !text.isBlank()));
  }
}
