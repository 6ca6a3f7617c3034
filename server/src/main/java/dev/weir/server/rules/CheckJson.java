package dev.weir.server.rules;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.http.endpoints.Responses;
import dev.weir.http.fields.Fields;
import dev.weir.http.json.Json;
import dev.weir.http.json.Snippet;
import dev.weir.http.json.TimeText;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import dev.weir.internal.Micros;
import dev.weir.limits.Decision;
import dev.weir.limits.Delayed;
import dev.weir.limits.Lease;
import dev.weir.limits.Outcome;
import dev.weir.rules.LimitedRule;
import dev.weir.rules.RuleCheck;
import dev.weir.rules.RuleResult;
import dev.weir.rules.Ticket;
import dev.weir.rules.Verdict;
import dev.weir.rules.VerdictFields;
import dev.weir.server.refusals.LimitProblems;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MutableHttpResponse;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Writes verdicts as responses. */
final class CheckJson {
  /** The mode of a check of which no rule is enforced. */
  static final String INACTIVE = "inactive";

  private static final long MICROS_OF_A_MILLI = 1_000;

  private CheckJson() {}

  /** Returns the response to a check, with the header fields. */
  static HttpResponse<byte[]> answer(CheckRequest request, Verdict verdict) {
    MutableHttpResponse<byte[]> response =
        switch (verdict) {
          case Verdict.Passed passed -> Responses.json(json -> writeGrant(json, request, passed));
          case Verdict.Queued queued -> Responses.json(json -> writeGrant(json, request, queued));
          case Verdict.Refused refused -> {
            if (refused.isOutcomeUnknown()) {
              throw outcomeUnknown(request, refused);
            }
            yield Responses.problem(refusal(request, refused));
          }
          case Verdict.Reused reused -> throw reused(request);
        };
    VerdictFields.add(response::header, verdict);
    return response;
  }

  private static ProblemException outcomeUnknown(CheckRequest request, Verdict.Refused refused) {
    return LimitProblems.outcomeUnknown(
        refused.retryAfterMicros(),
        request.requestId().isEmpty()
            ? "Whether this was counted is unknown; a repeated request may be counted again."
            : "Whether this was counted is unknown; repeat it with the same requestId.");
  }

  /** Returns the problem of a request id that belongs to another request. */
  static ProblemException reused(CheckRequest request) {
    return new ProblemException(
        Problem.of(
            409,
            "request-id-reused",
            "The requestId \"%s\" belongs to another request. Nothing was taken or given back."
                .formatted(Snippet.of(request.requestId()))));
  }

  static Problem refusal(CheckRequest request, Verdict.Refused refused) {
    Problem problem = LimitProblems.of(refused);
    return refused.isUndecided()
        ? problem
        : problem.with(json -> writeMembers(json, request, refused));
  }

  static void writeGrant(JsonGenerator json, CheckRequest request, Verdict.Decided verdict)
      throws IOException {
    json.writeStartObject();
    writeMembers(json, request, verdict);
    json.writeEndObject();
  }

  private static void writeMembers(
      JsonGenerator json, CheckRequest request, Verdict.Decided verdict) throws IOException {
    if (request.isAll()) {
      json.writeBooleanField("allowed", !(verdict instanceof Verdict.Refused));
      if (verdict instanceof Verdict.Refused refused) {
        Json.writeSeconds(json, "retryAfter", refused.retryAfterMicros());
      }
      json.writeArrayFieldStart("all");
      for (RuleCheck check : request.checks()) {
        json.writeStartObject();
        write(json, check, outcome(verdict, check));
        json.writeEndObject();
      }
      json.writeEndArray();
    } else {
      RuleCheck check = request.checks().getFirst();
      write(json, check, outcome(verdict, check));
    }
    switch (verdict) {
      case Verdict.Passed passed -> writeLease(json, passed.ticket());
      case Verdict.Queued queued -> {
        if (request.isAll()) {
          json.writeBooleanField("queued", true);
        }
        json.writeNumberField("delayMs", Math.ceilDiv(queued.delayMicros(), MICROS_OF_A_MILLI));
        writeLease(json, queued.ticket());
      }
      case Verdict.Refused refused -> {}
    }
    boolean isDecided = !verdict.results().isEmpty() || isReplayed(verdict);
    json.writeStringField("mode", isDecided ? Fields.lower(verdict.mode()) : INACTIVE);
    if (isDecided) {
      json.writeBooleanField("replayed", isReplayed(verdict));
    }
    if (verdict.decidedAt().isPresent()) {
      json.writeStringField("decidedAt", TimeText.of(verdict.decidedAt().get()));
    }
  }

  private static boolean isReplayed(Verdict.Decided verdict) {
    return switch (verdict) {
      case Verdict.Passed passed -> passed.isReplayed();
      case Verdict.Queued queued -> queued.isReplayed();
      case Verdict.Refused refused -> false;
    };
  }

  private static void writeLease(JsonGenerator json, Ticket ticket) throws IOException {
    Optional<Lease> lease = ticket.lease();
    if (lease.isPresent()) {
      json.writeStringField("leaseId", lease.get().id());
      json.writeStringField(
          "expiresAt", TimeText.of(Micros.instant(lease.get().expiresAtMicros())));
    }
  }

  /** Returns the outcome of a check; null if its rule is not enforced or was not evaluated. */
  private static @Nullable Outcome outcome(Verdict verdict, RuleCheck check) {
    for (RuleResult result : verdict.results()) {
      if (result.check().equals(check)) {
        return result.outcome();
      }
    }
    return null;
  }

  private static boolean hasQueue(LimitedRule rule) {
    return rule.kind() instanceof LimitedRule.Counted counted && counted.queue().isPresent();
  }

  private static void write(JsonGenerator json, RuleCheck check, @Nullable Outcome outcome)
      throws IOException {
    LimitedRule rule = check.rule();
    json.writeBooleanField("allowed", !(outcome instanceof Decision.Refused));
    json.writeStringField("rule", rule.name());
    json.writeStringField("key", check.key());
    if (!rule.isActive()) {
      json.writeBooleanField("active", false);
    } else if (rule.isShadow()) {
      json.writeBooleanField("shadow", true);
    }
    if (outcome == null) {
      return;
    }
    json.writeNumberField("remaining", outcome.remaining());
    Json.writeSeconds(json, "reset", outcome.resetMicros());
    if (hasQueue(rule) || outcome instanceof Delayed) {
      json.writeBooleanField("queued", outcome instanceof Delayed);
    }
    if (outcome instanceof Decision.Refused refused) {
      Json.writeSeconds(json, "retryAfter", refused.retryAfterMicros());
    }
  }
}
