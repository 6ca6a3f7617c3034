package dev.weir.notifications.server;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.http.fields.Fields;
import dev.weir.http.json.TimeText;
import dev.weir.notifications.analytics.Analytics;
import dev.weir.notifications.analytics.TimeRange;
import java.io.IOException;
import java.util.List;

/** Writes answers about messages. */
final class AnalyticsJson {
  private AnalyticsJson() {}

  static void writeSenders(
      JsonGenerator json, TimeRange range, Analytics.Users<Analytics.Sender> users)
      throws IOException {
    json.writeStartObject();
    writeRange(json, range);
    json.writeArrayFieldStart("users");
    for (Analytics.Sender user : users.users()) {
      json.writeStartObject();
      json.writeNumberField("userId", user.userId());
      json.writeNumberField("messages", user.messages());
      json.writeNumberField("parts", user.parts());
      json.writeNumberField("cost", user.cost());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeNumberField("maxError", users.maxError());
    json.writeEndObject();
  }

  static void writeLimited(
      JsonGenerator json, TimeRange range, Analytics.Users<Analytics.Limited> users)
      throws IOException {
    json.writeStartObject();
    writeRange(json, range);
    json.writeArrayFieldStart("users");
    for (Analytics.Limited user : users.users()) {
      json.writeStartObject();
      json.writeNumberField("userId", user.userId());
      json.writeNumberField("refusals", user.refusals());
      json.writeStringField("lastAt", TimeText.of(user.lastAt()));
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeNumberField("maxError", users.maxError());
    json.writeEndObject();
  }

  static void writePeaks(JsonGenerator json, TimeRange range, List<Analytics.Minute> minutes)
      throws IOException {
    json.writeStartObject();
    writeRange(json, range);
    json.writeArrayFieldStart("minutes");
    for (Analytics.Minute minute : minutes) {
      json.writeStartObject();
      json.writeStringField("minute", TimeText.of(minute.minute()));
      json.writeNumberField("attempts", minute.attempts());
      json.writeNumberField("sent", minute.sent());
      json.writeNumberField("limited", minute.limited());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  static void writeUnusual(JsonGenerator json, Analytics.UnusualRates rates) throws IOException {
    json.writeStartObject();
    writeRange(json, rates.window());
    json.writeNumberField("examined", rates.examined());
    json.writeArrayFieldStart("users");
    for (Analytics.Unusual user : rates.users()) {
      json.writeStartObject();
      json.writeNumberField("userId", user.userId());
      json.writeNumberField("attempts", user.attempts());
      json.writeStringField("rate", Fields.lower(user.rate()));
      json.writeNumberField("median", user.baseline().median());
      json.writeNumberField("usualFrom", user.baseline().from());
      json.writeNumberField("usualTo", user.baseline().to());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void writeRange(JsonGenerator json, TimeRange range) throws IOException {
    json.writeStringField("from", TimeText.of(range.from()));
    json.writeStringField("to", TimeText.of(range.to()));
  }
}
