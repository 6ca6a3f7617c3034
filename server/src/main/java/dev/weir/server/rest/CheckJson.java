package dev.weir.server.rest;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.core.limits.Decision;
import dev.weir.engine.rules.Asked;
import dev.weir.engine.rules.LimitedRule;
import dev.weir.engine.rules.RateLimitFields;
import dev.weir.engine.rules.Said;
import dev.weir.engine.rules.Verdict;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MutableHttpResponse;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What rules say, as an answer. */
final class CheckJson {
  /** The registered type of a refusal. */
  private static final String QUOTA_EXCEEDED =
      "https://iana.org/assignments/http-problem-types#quota-exceeded";

  private static final long MICROS_OF_A_MILLI = 1_000;

  private CheckJson() {}

  /** The answer to a check, with the header fields. */
  static HttpResponse<byte[]> answer(CheckRequest request, Verdict verdict) {
    MutableHttpResponse<byte[]> response =
        verdict instanceof Verdict.Refused refused
            ? Problems.answer(refusal(request, refused))
            : Responses.json(json -> writeGrant(json, request, verdict));
    RateLimitFields.add(response::header, verdict);
    return response;
  }

  static Problem refusal(CheckRequest request, Verdict.Refused refused) {
    return problem(refused).with(json -> writeMembers(json, request, refused));
  }

  static void writeGrant(JsonGenerator json, CheckRequest request, Verdict verdict)
      throws IOException {
    json.writeStartObject();
    writeMembers(json, request, verdict);
    json.writeEndObject();
  }

  /** What is wrong with a request that some rules refuse. */
  static Problem problem(Verdict.Refused refused) {
    List<String> violated = refused.violated();
    return quotaExceeded(
        "Beyond %s. Try again in %d s."
            .formatted(
                String.join(", ", violated.stream().map(name -> '"' + name + '"').toList()),
                RateLimitFields.seconds(refused.retryAfterMicros())),
        violated);
  }

  static Problem quotaExceeded(String detail, List<String> violated) {
    return Problem.of(429, QUOTA_EXCEEDED, detail)
        .with(
            json -> {
              json.writeArrayFieldStart("violated-policies");
              for (String name : violated) {
                json.writeString(name);
              }
              json.writeEndArray();
            });
  }

  private static void writeMembers(JsonGenerator json, CheckRequest request, Verdict verdict)
      throws IOException {
    if (request.isAll()) {
      json.writeBooleanField("allowed", !(verdict instanceof Verdict.Refused));
      if (verdict instanceof Verdict.Refused refused) {
        Json.writeSeconds(json, "retryAfter", refused.retryAfterMicros());
      }
      json.writeArrayFieldStart("all");
      for (Asked asked : request.asked()) {
        json.writeStartObject();
        write(json, asked, decision(verdict, asked));
        json.writeEndObject();
      }
      json.writeEndArray();
    } else {
      Asked asked = request.asked().getFirst();
      write(json, asked, decision(verdict, asked));
    }
    if (verdict instanceof Verdict.Queued queued) {
      json.writeBooleanField("queued", true);
      json.writeNumberField("delayMs", Math.ceilDiv(queued.delayMicros(), MICROS_OF_A_MILLI));
    }
    if (request.hasLeases() && !request.isPeek() && !(verdict instanceof Verdict.Refused)) {
      json.writeStringField("leaseId", request.requestId());
    }
    json.writeStringField(
        "mode", verdict.said().isEmpty() ? "inactive" : Fields.lower(verdict.mode()));
    if (!verdict.said().isEmpty()) {
      json.writeBooleanField(
          "replayed", verdict instanceof Verdict.Passed passed && passed.isReplayed());
    }
    if (verdict.decidedAt().isPresent()) {
      json.writeStringField("decidedAt", TimeText.of(verdict.decidedAt().get()));
    }
  }

  /** What was said to it; null by a rule whose word does not count, or that was not reached. */
  private static @Nullable Decision decision(Verdict verdict, Asked asked) {
    for (Said said : verdict.said()) {
      if (said.asked().equals(asked)) {
        return said.decision();
      }
    }
    return null;
  }

  private static void write(JsonGenerator json, Asked asked, @Nullable Decision decision)
      throws IOException {
    LimitedRule rule = asked.rule();
    json.writeBooleanField("allowed", !(decision instanceof Decision.Refused));
    json.writeStringField("rule", rule.name());
    json.writeStringField("key", asked.key());
    if (!rule.isActive()) {
      json.writeBooleanField("active", false);
    } else if (rule.isShadow()) {
      json.writeBooleanField("shadow", true);
    }
    if (decision == null) {
      return;
    }
    json.writeNumberField("remaining", decision.remaining());
    if (!(rule.means() instanceof LimitedRule.Leased)) {
      Json.writeSeconds(json, "reset", decision.resetMicros());
    }
    if (decision instanceof Decision.Refused refused) {
      Json.writeSeconds(json, "retryAfter", refused.retryAfterMicros());
    }
  }
}
