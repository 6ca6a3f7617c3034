package dev.weir.notifications.jdbc;

import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.SendRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** New users and messages, which no other test uses. */
final class Letters {
  private Letters() {}

  static long newUser() {
    return ThreadLocalRandom.current().nextLong(Long.MAX_VALUE);
  }

  static SendRequest to(long user) {
    return new SendRequest(
        new Message(UUID.randomUUID(), user, "Hello", 1),
        Optional.empty(),
        SendRequest.WhenClosed.REFUSE);
  }

  static SendRequest to(long user, String key) {
    return new SendRequest(
        new Message(UUID.randomUUID(), user, "Hello", 1),
        Optional.of(key),
        SendRequest.WhenClosed.REFUSE);
  }

  static List<SendRequest> to(long user, int count) {
    List<SendRequest> requests = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      requests.add(to(user));
    }
    return requests;
  }
}
