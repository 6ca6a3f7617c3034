package dev.weir.server.rules;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.address.internal.ClientAddress;
import dev.weir.http.fields.Fields;
import dev.weir.http.json.Json;
import dev.weir.http.json.Snippet;
import dev.weir.limits.Decision;
import dev.weir.limits.Delayed;
import dev.weir.limits.Outcome;
import dev.weir.rules.LimitedRule;
import dev.weir.rules.RuleCheck;
import dev.weir.rules.RuleEvaluator;
import dev.weir.rules.RuleResult;
import dev.weir.rules.matching.AmbiguousPathException;
import dev.weir.rules.matching.Request;
import dev.weir.rules.matching.RequestPath;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads a description of a request, and writes how rules would decide it. */
final class ExplainJson {
  private static final int MAX_HEADERS = 100;
  private static final String LOOPBACK = "127.0.0.1";
  private static final long MICROS_OF_A_MILLI = 1_000;

  private ExplainJson() {}

  /** A request that exists only as a description. */
  private record Described(
      String method, RequestPath path, String clientAddress, Map<String, String> headers)
      implements Request {
    @Override
    public @Nullable String header(String name) {
      return headers.get(name);
    }
  }

  static Request read(Fields fields) {
    String method = fields.text("method").orElse("GET");
    Optional<RequestPath> path =
        fields.required("path", fields.text("path")).flatMap(text -> path(fields, text));
    String ip = fields.text("ip").orElse(LOOPBACK);
    if (!ClientAddress.isAddress(ip)) {
      fields.wrong("ip", "must be an IP address, not \"%s\"".formatted(Snippet.of(ip)));
    }
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    fields
        .object("headers")
        .ifPresent(
            given -> {
              List<String> names = given.names();
              if (names.size() > MAX_HEADERS) {
                fields.wrong("headers", "must be at most " + MAX_HEADERS);
                return;
              }
              for (String name : names) {
                given.text(name).ifPresent(value -> headers.put(name, value));
              }
            });
    fields.refuseOthers();
    fields.throwIfWrong();
    return new Described(method, path.orElseThrow(), ip, headers);
  }

  private static Optional<RequestPath> path(Fields fields, String text) {
    try {
      return Optional.of(RequestPath.of(text));
    } catch (AmbiguousPathException e) {
      fields.wrong("path", String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }

  static void write(JsonGenerator json, Request request, RuleEvaluator.Explanation explanation)
      throws IOException {
    json.writeStartObject();
    json.writeStringField("method", request.method());
    json.writeStringField("path", request.path().text());
    json.writeStringField("outcome", outcome(explanation));
    write(json, "rules", explanation.inForce());
    json.writeArrayFieldStart("overridden");
    for (RuleCheck check : explanation.overridden()) {
      json.writeStartObject();
      writeCheck(json, check);
      json.writeEndObject();
    }
    json.writeEndArray();
    write(json, "shadow", explanation.inShadow());
    json.writeEndObject();
  }

  private static String outcome(RuleEvaluator.Explanation explanation) {
    if (!explanation.isPassing()) {
      return "refused";
    }
    return explanation.inForce().stream().anyMatch(result -> result.outcome() instanceof Delayed)
        ? "queued"
        : "allowed";
  }

  private static void write(JsonGenerator json, String name, List<RuleResult> results)
      throws IOException {
    json.writeArrayFieldStart(name);
    for (RuleResult result : results) {
      json.writeStartObject();
      writeCheck(json, result.check());
      write(json, result.rule(), result.outcome());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void writeCheck(JsonGenerator json, RuleCheck check) throws IOException {
    json.writeNumberField("id", check.rule().rule().id());
    json.writeStringField("rule", check.rule().name());
    json.writeStringField("key", check.key());
    json.writeNumberField("priority", check.rule().spec().priority());
  }

  private static void write(JsonGenerator json, LimitedRule rule, Outcome decision)
      throws IOException {
    json.writeStringField(
        "outcome",
        switch (decision) {
          case Decision.Allowed allowed -> "allowed";
          case Delayed delayed -> "queued";
          case Decision.Refused refused -> "refused";
        });
    json.writeNumberField("remaining", decision.remaining());
    if (!(rule.kind() instanceof LimitedRule.Leased)) {
      Json.writeSeconds(json, "reset", decision.resetMicros());
    }
    switch (decision) {
      case Decision.Allowed allowed -> {}
      case Delayed delayed ->
          json.writeNumberField("delayMs", Math.ceilDiv(delayed.delayMicros(), MICROS_OF_A_MILLI));
      case Decision.Refused refused ->
          Json.writeSeconds(json, "retryAfter", refused.retryAfterMicros());
    }
  }
}
