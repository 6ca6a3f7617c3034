package dev.weir.torture.messages;

import dev.weir.torture.history.Exchange;

/** What a look at a message says. */
final class MessageState {
  private MessageState() {}

  static String of(Exchange look) {
    return look.isDone() ? look.fields().text("state") : "not known";
  }

  /** The provider has it. */
  static boolean isSent(Exchange look) {
    return of(look).equals("sent") || of(look).equals("delivered");
  }

  static boolean isFailed(Exchange look) {
    return of(look).equals("failed");
  }

  /** It was handed over without an answer, and is not handed over again; until then, no reason. */
  static boolean isGivenUp(Exchange look) {
    return of(look).equals("unknown") && look.fields().find("reason").isPresent();
  }

  static boolean isDeadLetter(Exchange look) {
    return isFailed(look) || isGivenUp(look);
  }

  static boolean isEnded(Exchange look) {
    return isSent(look) || isDeadLetter(look);
  }
}
