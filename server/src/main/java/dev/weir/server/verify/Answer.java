package dev.weir.server.verify;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;

/**
 * A line of a journal: the response that a caller received, as its original JSON.
 *
 * @param scheduledTime {@link #REFUSED} if the response was a problem
 * @param state empty if the response has none
 */
record Answer(String eventId, Instant scheduledTime, long delayMillis, String state) {
  static final Instant REFUSED = Instant.MIN;
  static final long ABSENT = Long.MIN_VALUE;

  private static final JsonFactory JSON = new JsonFactory();

  boolean isGiven() {
    return !scheduledTime.equals(REFUSED);
  }

  /**
   * Reads a line.
   *
   * @param where the position of the line, for the message if it cannot be read
   */
  static Answer read(String line, String where) {
    String eventId = "";
    Instant scheduledTime = REFUSED;
    long delayMillis = ABSENT;
    String state = "";
    try (JsonParser json = JSON.createParser(line)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new IllegalArgumentException(where + " is no JSON object");
      }
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String field = json.currentName();
        JsonToken value = json.nextToken();
        switch (field) {
          case "eventId" -> eventId = json.getText();
          case "scheduledTime" -> scheduledTime = Instant.parse(json.getText());
          case "delayMs" -> delayMillis = json.getLongValue();
          case "state" -> state = json.getText();
          default -> {
            if (value.isStructStart()) {
              json.skipChildren();
            }
          }
        }
      }
      return new Answer(eventId, scheduledTime, delayMillis, state);
    } catch (IOException | DateTimeException e) {
      throw new IllegalArgumentException(where + " is no answer: " + e.getMessage(), e);
    }
  }
}
