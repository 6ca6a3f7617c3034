package dev.weir.server.verify;

import dev.weir.internal.Micros;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Checks that the responses that callers received match the database. */
final class AnswersCheck {
  /** Also the max number of values in a list of Oracle's. */
  private static final int LINES_A_PORTION = 1_000;

  private static final String STORED =
      "select event_id, requested, scheduled, state from slot where event_id in (";

  private static final List<String> STATES =
      List.of("assigned", "confirmed", "cancelled", "reclaimed");

  private final Connection connection;
  private final Findings findings;

  private record Stored(long requestedMicros, long scheduledMicros, String state) {}

  AnswersCheck(Connection connection, Findings findings) {
    this.connection = connection;
    this.findings = findings;
  }

  void read(Path journal) throws IOException, SQLException {
    List<Answer> portion = new ArrayList<>();
    long lines = 0;
    long refused = 0;
    try (BufferedReader reader = Files.newBufferedReader(journal)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        lines++;
        Answer answer = Answer.read(line, journal + " line " + lines);
        if (answer.isGiven()) {
          portion.add(answer);
        } else {
          refused++;
        }
        if (portion.size() == LINES_A_PORTION) {
          compare(portion);
          portion.clear();
        }
      }
    }
    compare(portion);
    findings.looked(Invariant.ONE_SLOT, "answers", lines - refused);
    findings.looked(Invariant.KEPT, "answers", lines - refused);
    findings.looked(Invariant.KEPT, "refusals, which need no slot", refused);
  }

  private void compare(List<Answer> answers) throws SQLException {
    Map<String, Stored> stored = stored(answers);
    for (Answer answer : answers) {
      Stored slot = stored.get(answer.eventId());
      if (slot == null) {
        findings.breach(
            Invariant.KEPT,
            "event \"%s\" was given %s and is not stored"
                .formatted(answer.eventId(), answer.scheduledTime()));
      } else {
        compare(answer, slot);
      }
    }
  }

  private void compare(Answer answer, Stored slot) {
    if (Micros.ceil(answer.scheduledTime()) != slot.scheduledMicros()) {
      findings.breach(
          Invariant.ONE_SLOT,
          "event \"%s\" was given %s and has %s"
              .formatted(
                  answer.eventId(),
                  answer.scheduledTime(),
                  Micros.instant(slot.scheduledMicros())));
    }
    long delayMillis = Math.floorDiv(slot.scheduledMicros() - slot.requestedMicros(), 1_000L);
    if (answer.delayMillis() != Answer.ABSENT && answer.delayMillis() != delayMillis) {
      findings.breach(
          Invariant.ONE_SLOT,
          "event \"%s\" was answered with a delay of %d ms and has %d ms"
              .formatted(answer.eventId(), answer.delayMillis(), delayMillis));
    }
    // An assigned slot may have been confirmed since; an ended slot stays ended.
    if (STATES.indexOf(answer.state()) > 0 && !answer.state().equals(slot.state())) {
      findings.breach(
          Invariant.KEPT,
          "event \"%s\" was answered as %s and is %s"
              .formatted(answer.eventId(), answer.state(), slot.state()));
    }
  }

  private Map<String, Stored> stored(List<Answer> answers) throws SQLException {
    Map<String, Stored> stored = new HashMap<>();
    List<String> ids = answers.stream().map(Answer::eventId).distinct().toList();
    if (ids.isEmpty()) {
      return stored;
    }
    String sql = STORED + String.join(", ", Collections.nCopies(ids.size(), "?")) + ")";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < ids.size(); i++) {
        statement.setString(i + 1, ids.get(i));
      }
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          stored.put(
              row.getString(1),
              new Stored(row.getLong(2), row.getLong(3), STATES.get(row.getInt(4))));
        }
      }
    }
    return stored;
  }
}
