package dev.weir.server.slots;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.Violation;
import dev.weir.http.fields.Fields;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import dev.weir.internal.Micros;
import dev.weir.internal.SlotNames;
import dev.weir.node.calendars.CalendarJson;
import dev.weir.slots.Calendar;
import dev.weir.slots.InvalidSlotPolicyException;
import dev.weir.slots.NotBefore;
import dev.weir.slots.OpeningHours;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.Spread;
import dev.weir.slots.planning.internal.PeakRate;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Reads and writes configurations as JSON. */
final class ConfigJson {
  private static final BigDecimal MICROS_PER_SECOND = BigDecimal.valueOf(Micros.PER_SECOND);

  private ConfigJson() {}

  /**
   * A requested configuration.
   *
   * @param sizeField the field with the size of a window
   */
  record Wanted(String name, SlotPolicy policy, String sizeField) {
    /** Returns the problem of a policy that is well-formed but refused. */
    Problem problem(InvalidSlotPolicyException refused) {
      return Problem.invalid(
          refused.violations().stream()
              .map(violation -> new Violation(fieldOf(violation, sizeField), violation.message()))
              .toList());
    }
  }

  /**
   * Reads a configuration.
   *
   * @throws ProblemException if it is invalid, naming every invalid field
   */
  static Wanted read(Object document) {
    Fields fields = Fields.of(document);
    String name = required(fields, "configName", fields.text("configName"), "");
    if (!fields.isWrong("configName")) {
      SlotNames.configNameProblem(name).ifPresent(problem -> fields.wrong("configName", problem));
    }
    SlotPolicy policy = readPolicy(fields);
    fields.throwIfWrong();
    return new Wanted(name, policy, sizeField(fields));
  }

  /** Returns the field that has the size of a window. */
  static String sizeField(Fields fields) {
    return fields.has("windowSizeSecs") ? "windowSizeSecs" : "windowSize";
  }

  /**
   * Reads a policy and records every violation. What it returns is of use only if there is none.
   * Fields that it does not know are violations, unless they have been read before.
   */
  static SlotPolicy readPolicy(Fields fields) {
    int max = required(fields, "maxPerWindow", fields.integer("maxPerWindow"), 1);
    String sizeField = sizeField(fields);
    Duration window = windowSize(fields);
    Spread spread = fields.choice("spread", Spread.values()).orElse(Spread.EVEN);
    NotBefore notBefore =
        fields.choice("notBefore", NotBefore.values()).orElse(NotBefore.REQUESTED);
    Optional<Duration> maxDelay = fields.duration("maxDelay");
    Calendar calendar = fields.object("calendar").map(CalendarJson::read).orElse(Calendar.ALWAYS);
    Optional<Instant> pausedUntil = fields.time("pausedUntil");
    fields.refuseOthers();
    SlotPolicy policy = SlotPolicy.of(1, SlotPolicy.MAX_WINDOW);
    try {
      policy =
          new SlotPolicy(
              max,
              whole(fields, sizeField, window),
              spread,
              maxDelay.map(delay -> whole(fields, "maxDelay", delay)),
              notBefore,
              calendar,
              pausedUntil);
    } catch (InvalidSlotPolicyException e) {
      for (Violation violation : e.violations()) {
        String field = fieldOf(violation, sizeField);
        if (!fields.isWrong(field)) {
          fields.wrong(field, violation.message());
        }
      }
    }
    return policy;
  }

  static String fieldOf(Violation violation, String sizeField) {
    return violation.field().equals("windowSize") ? sizeField : violation.field();
  }

  private static <T> T required(Fields fields, String name, Optional<T> value, T absent) {
    if (value.isEmpty() && !fields.isWrong(name)) {
      fields.wrong(name, "is missing");
    }
    return value.orElse(absent);
  }

  /** Reads {@code windowSize}, a duration, or {@code windowSizeSecs}, a number. */
  private static Duration windowSize(Fields fields) {
    Optional<Duration> size = fields.duration("windowSize");
    Optional<BigDecimal> seconds = fields.number("windowSizeSecs");
    if (size.isPresent() && seconds.isPresent()) {
      fields.wrong("windowSizeSecs", "must be left out where windowSize is given");
    }
    Optional<Duration> given = size.or(() -> seconds.map(number -> seconds(fields, number)));
    if (fields.isWrong("windowSize") || fields.isWrong("windowSizeSecs")) {
      return SlotPolicy.MAX_WINDOW;
    }
    return required(fields, "windowSize", given, SlotPolicy.MAX_WINDOW);
  }

  private static Duration seconds(Fields fields, BigDecimal number) {
    try {
      return Micros.duration(number.multiply(MICROS_PER_SECOND).longValueExact());
    } catch (ArithmeticException e) {
      fields.wrong("windowSizeSecs", "must be a number of seconds, in whole microseconds");
      return SlotPolicy.MAX_WINDOW;
    }
  }

  /** Returns a duration, which must be whole microseconds that fit into a {@code long}. */
  private static Duration whole(Fields fields, String name, Duration duration) {
    if (duration.toNanosPart() % 1000 != 0) {
      fields.wrong(name, "must be a whole number of microseconds");
    }
    try {
      return Micros.duration(Micros.floor(duration));
    } catch (ArithmeticException e) {
      fields.wrong(name, "is too long");
      return Duration.ZERO;
    }
  }

  /** Writes a version of a configuration. */
  static void write(JsonGenerator json, SlotConfig config, boolean active) throws IOException {
    SlotPolicy policy = config.policy();
    json.writeStartObject();
    json.writeStringField("configName", config.name());
    json.writeNumberField("version", config.version());
    json.writeBooleanField("active", active);
    json.writeNumberField("maxPerWindow", policy.maxPerWindow());
    json.writeStringField("windowSize", policy.window().toString());
    json.writeFieldName("windowSizeSecs");
    json.writeNumber(
        BigDecimal.valueOf(policy.windowMicros(), 6).stripTrailingZeros().toPlainString());
    json.writeStringField("spread", Fields.lower(policy.spread()));
    json.writeStringField("notBefore", Fields.lower(policy.notBefore()));
    if (policy.maxDelay().isPresent()) {
      json.writeStringField("maxDelay", policy.maxDelay().get().toString());
    }
    if (policy.calendar() instanceof OpeningHours hours) {
      json.writeFieldName("calendar");
      CalendarJson.write(json, hours);
    }
    if (policy.pausedUntil().isPresent()) {
      json.writeStringField("pausedUntil", policy.pausedUntil().get().toString());
    }
    json.writeNumberField("peakPerSecond", PeakRate.perSecond(policy));
    json.writeStringField("createdAt", config.createdAt().toString());
    json.writeEndObject();
  }
}
