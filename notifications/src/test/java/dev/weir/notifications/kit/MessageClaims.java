package dev.weir.notifications.kit;

import java.time.InstantSource;
import java.util.function.Supplier;

/** The base of all claims about messages: a store, and scenes on it. */
interface MessageClaims {
  Supplier<MessageStore> messagesBy(InstantSource clock);

  default MessageScene messageScene() {
    return MessageScene.of(this::messagesBy);
  }
}
