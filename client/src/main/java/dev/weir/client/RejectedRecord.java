package dev.weir.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A record of a feed that cannot be paid.
 *
 * @param line its line in the feed, from 1
 * @param json the record and the reason, as the server sent them
 */
public record RejectedRecord(long line, String reason, String record, String json) {
  static List<RejectedRecord> readLines(Reply reply) throws IOException {
    List<RejectedRecord> records = new ArrayList<>();
    for (String line : reply.text().lines().toList()) {
      JsonObject json = JsonObject.read(line.getBytes(StandardCharsets.UTF_8));
      records.add(
          new RejectedRecord(
              json.requiredNumber("line"),
              json.requiredText("reason"),
              json.requiredText("record"),
              line));
    }
    return records;
  }
}
