package dev.weir.notifications.server;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.http.fields.Fields;
import dev.weir.http.json.TimeText;
import dev.weir.internal.Micros;
import dev.weir.node.calendars.CalendarJson;
import dev.weir.notifications.messages.UserLimit;
import dev.weir.notifications.messages.UserState;
import dev.weir.slots.Calendar;
import dev.weir.slots.OpeningHours;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** Reads and writes limits of users as JSON. */
final class UserLimitJson {
  private UserLimitJson() {}

  /**
   * Reads a limit.
   *
   * @throws dev.weir.http.problems.ProblemException if it is invalid, naming every invalid field
   */
  static UserLimit read(Object document) {
    Fields fields = Fields.of(document);
    Optional<Long> userId = userId(fields);
    Optional<Long> rateLimit =
        fields.required("rateLimit", fields.whole("rateLimit", 1, UserLimit.MAX_RATE_LIMIT));
    Optional<Long> minutes =
        fields.required(
            "timeWindow",
            fields.whole(
                "timeWindow", UserLimit.MIN_WINDOW.toMinutes(), UserLimit.MAX_WINDOW.toMinutes()));
    UserLimit.Algorithm algorithm =
        fields
            .choice("algorithm", UserLimit.Algorithm.values(), Enum::name)
            .orElse(UserLimit.Algorithm.FIXED_WINDOW);
    UserLimit.CostBy cost =
        fields
            .choice("cost", UserLimit.CostBy.values(), Enum::name)
            .orElse(UserLimit.CostBy.MESSAGE);
    Calendar hours = fields.object("openHours").map(CalendarJson::read).orElse(Calendar.ALWAYS);
    fields.refuseOthers();
    fields.throwIfWrong();
    return new UserLimit(
        userId.orElseThrow(),
        rateLimit.orElseThrow(),
        Duration.ofMinutes(minutes.orElseThrow()),
        algorithm,
        cost,
        hours);
  }

  static Optional<Long> userId(Fields fields) {
    return fields.required("userId", fields.whole("userId", 0, Long.MAX_VALUE));
  }

  static void write(JsonGenerator json, UserState state) throws IOException {
    UserLimit limit = state.limit();
    json.writeStartObject();
    json.writeNumberField("userId", limit.userId());
    json.writeNumberField("rateLimit", limit.rateLimit());
    json.writeNumberField("timeWindow", limit.timeWindow().toMinutes());
    json.writeNumberField("currentCount", state.currentCount());
    json.writeStringField(
        "lastRefreshTime", TimeText.of(Micros.instant(state.refreshedAtMicros())));
    json.writeStringField("algorithm", limit.algorithm().name());
    json.writeStringField("cost", limit.costBy().name());
    if (limit.openHours() instanceof OpeningHours hours) {
      json.writeFieldName("openHours");
      CalendarJson.write(json, hours);
    }
    json.writeEndObject();
  }
}
