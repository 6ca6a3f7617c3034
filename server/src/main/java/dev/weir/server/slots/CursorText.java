package dev.weir.server.slots;

import dev.weir.http.fields.Fields;
import dev.weir.internal.Micros;
import dev.weir.internal.SlotNames;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotQuery;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;

/**
 * Reads and writes a position in a list as an opaque string: microseconds, a colon and the event
 * id, in Base64.
 */
final class CursorText {
  private CursorText() {}

  static String write(Slot slot) {
    String text = Micros.ceil(slot.scheduledTime()) + ":" + slot.eventId();
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Reads a cursor, and records violations in {@code query}. */
  static SlotQuery.Cursor read(Fields query, String cursor) {
    try {
      String text = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
      int colon = text.indexOf(':');
      String eventId = text.substring(colon + 1);
      if (colon > 0 && SlotNames.eventIdProblem(eventId).isEmpty()) {
        long micros = Long.parseLong(text.substring(0, colon));
        return new SlotQuery.Cursor(Micros.instant(micros), eventId);
      }
      query.wrong("cursor", "must be the \"next\" of an earlier answer");
    } catch (IllegalArgumentException e) {
      query.wrong("cursor", "must be the \"next\" of an earlier answer");
    }
    return new SlotQuery.Cursor(Instant.EPOCH, "");
  }
}
