package dev.weir.server.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;

/** The server's result for one line of a batch. */
sealed interface Answer {

  /** The event has a slot; {@code replayed} if it already had it. */
  record Assigned(Instant scheduledTime, boolean replayed) implements Answer {}

  /** The event has no slot. */
  record Refused(Problem problem) implements Answer {}

  /** Reads a line of the response; throws if it is neither a slot nor a problem. */
  static Answer read(String line) throws IOException {
    JsonObject json = JsonObject.read(line.getBytes(StandardCharsets.UTF_8));
    if (json.text("scheduledTime").isPresent()) {
      try {
        return new Assigned(
            Instant.parse(json.requiredText("scheduledTime")), json.flag("replayed"));
      } catch (DateTimeException notTime) {
        throw new IOException("scheduledTime is no time", notTime);
      }
    }
    if (json.number("status").isPresent()) {
      return new Refused(Problem.of(json));
    }
    throw new IOException("neither a slot nor a problem");
  }
}
