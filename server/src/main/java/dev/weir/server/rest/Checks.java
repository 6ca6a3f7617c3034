package dev.weir.server.rest;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.core.limits.Decision;
import dev.weir.core.limits.Limit;
import dev.weir.engine.limits.Answer;
import dev.weir.engine.limits.Demand;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the store whether something may pass, and tells what it says. */
@Singleton
final class Checks {
  /** The registered type of a refusal. */
  static final String QUOTA_EXCEEDED =
      "https://iana.org/assignments/http-problem-types#quota-exceeded";

  private static final Logger log = LoggerFactory.getLogger(Checks.class);

  private final Limits limits;

  Checks(Limits limits) {
    this.limits = limits;
  }

  HttpResponse<byte[]> check(byte[] body) {
    CheckRequest plain = PlainCheck.read(body, limits.book());
    CheckRequest request =
        plain != null
            ? plain
            : CheckRequest.read(Fields.of(Json.read(body, 0, body.length)), limits.book());
    Optional<Demand<Limit>> demand = request.demand(limits.requestTtl());
    if (demand.isEmpty()) {
      return Responses.json(json -> writeInactive(json, request));
    }
    Answer answer =
        request.isPeek() ? limits.store().peek(demand.get()) : limits.store().decide(demand.get());
    if (!request.isPeek()) {
      count(request, answer);
    }
    return respond(request, answer);
  }

  /** Gives back what was granted at a time that the caller was told. */
  HttpResponse<byte[]> refund(byte[] body) {
    Fields fields = Fields.of(Json.read(body, 0, body.length));
    CheckRequest request = CheckRequest.readAsked(fields, limits.book(), false);
    Optional<Instant> decidedAt = fields.required("decidedAt", fields.time("decidedAt"));
    Answer.Mode mode = fields.choice("mode", Answer.Mode.values()).orElse(Answer.Mode.STORE);
    fields.refuseOthers();
    fields.throwIfWrong();
    Answer granted = new Answer(List.of(), decidedAt.orElseThrow(), mode, false);
    request.demand(limits.requestTtl()).ifPresent(demand -> limits.store().refund(demand, granted));
    return HttpResponse.noContent();
  }

  private void count(CheckRequest request, Answer answer) {
    limits.metrics().decided(answer.mode());
    int next = 0;
    for (CheckRequest.Asked asked : request.asked()) {
      if (asked.rule().isActive()) {
        boolean allowed = answer.decisions().get(next++).isAllowed();
        asked.rule().counts().count(allowed, answer.isReplayed());
        if (!allowed && log.isDebugEnabled()) {
          log.atDebug()
              .addKeyValue("rule", asked.rule().name())
              .addKeyValue("key", asked.key())
              .addKeyValue("requestId", request.requestId())
              .log("Refused");
        }
      }
    }
  }

  private static HttpResponse<byte[]> respond(CheckRequest request, Answer answer) {
    boolean allowed = answer.isAllowed();
    MutableHttpResponse<byte[]> response;
    if (allowed) {
      byte[] body =
          Json.bytes(
              json -> {
                json.writeStartObject();
                write(json, request, answer);
                json.writeEndObject();
              });
      response =
          HttpResponse.<byte[]>ok()
              .contentType(MediaType.APPLICATION_JSON_TYPE)
              .contentLength(body.length)
              .body(body);
    } else {
      response = Problems.answer(problem(request, answer));
    }
    List<RateLimitFields.Told> told = told(request, answer);
    if (told.size() == 1) {
      RateLimitFields.add(response.getHeaders(), told.getFirst());
    } else {
      RateLimitFields.add(response.getHeaders(), told);
    }
    if (!allowed) {
      RateLimitFields.addRetryAfter(response.getHeaders(), retryAfterMicros(answer));
    }
    return response;
  }

  private static Problem problem(CheckRequest request, Answer answer) {
    List<String> violated = new ArrayList<>();
    int next = 0;
    for (CheckRequest.Asked asked : request.asked()) {
      if (asked.rule().isActive()
          && !answer.decisions().get(next++).isAllowed()
          && !violated.contains(asked.rule().name())) {
        violated.add(asked.rule().name());
      }
    }
    return quotaExceeded(
            "Beyond %s. Try again in %d s."
                .formatted(
                    String.join(", ", violated.stream().map(name -> '"' + name + '"').toList()),
                    RateLimitFields.seconds(retryAfterMicros(answer))),
            violated)
        .with(json -> write(json, request, answer));
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

  private static List<RateLimitFields.Told> told(CheckRequest request, Answer answer) {
    List<RateLimitFields.Told> told = new ArrayList<>(answer.decisions().size());
    for (CheckRequest.Asked asked : request.asked()) {
      if (asked.rule().isActive()) {
        Decision decision = answer.decisions().get(told.size());
        told.add(
            new RateLimitFields.Told(
                asked.rule().text(),
                asked.key(),
                decision.remaining(),
                OptionalLong.of(decision.resetMicros()),
                !decision.isAllowed()));
      }
    }
    return told;
  }

  private static long retryAfterMicros(Answer answer) {
    long longest = 0;
    for (Decision decision : answer.decisions()) {
      longest = Math.max(longest, retryAfterMicros(decision));
    }
    return longest;
  }

  private static long retryAfterMicros(Decision decision) {
    return switch (decision) {
      case Decision.Allowed allowed -> 0;
      case Decision.Delayed delayed -> delayed.delayMicros();
      case Decision.Refused refused -> refused.retryAfterMicros();
    };
  }

  private static void write(JsonGenerator json, CheckRequest request, Answer answer)
      throws IOException {
    if (request.isAll()) {
      json.writeBooleanField("allowed", answer.isAllowed());
      if (!answer.isAllowed()) {
        Json.writeSeconds(json, "retryAfter", retryAfterMicros(answer));
      }
      writeAll(json, request, answer.decisions());
    } else {
      write(json, request.asked().getFirst(), answer.decisions().getFirst());
    }
    json.writeStringField("mode", Fields.lower(answer.mode()));
    json.writeBooleanField("replayed", answer.isReplayed());
    json.writeStringField("decidedAt", answer.decidedAt().toString());
  }

  private static void writeAll(JsonGenerator json, CheckRequest request, List<Decision> decisions)
      throws IOException {
    json.writeArrayFieldStart("all");
    int next = 0;
    for (CheckRequest.Asked asked : request.asked()) {
      json.writeStartObject();
      if (asked.rule().isActive()) {
        write(json, asked, decisions.get(next++));
      } else {
        writeInactive(json, asked);
      }
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void write(JsonGenerator json, CheckRequest.Asked asked, Decision decision)
      throws IOException {
    json.writeBooleanField("allowed", decision.isAllowed());
    json.writeStringField("rule", asked.rule().name());
    json.writeStringField("key", asked.key());
    json.writeNumberField("remaining", decision.remaining());
    Json.writeSeconds(json, "reset", decision.resetMicros());
    if (!decision.isAllowed()) {
      Json.writeSeconds(json, "retryAfter", retryAfterMicros(decision));
    }
  }

  /** A rule that is not active counts nothing and lets everything pass. */
  private static void writeInactive(JsonGenerator json, CheckRequest.Asked asked)
      throws IOException {
    json.writeBooleanField("allowed", true);
    json.writeStringField("rule", asked.rule().name());
    json.writeStringField("key", asked.key());
    json.writeBooleanField("active", false);
  }

  private static void writeInactive(JsonGenerator json, CheckRequest request) throws IOException {
    json.writeStartObject();
    if (request.isAll()) {
      json.writeBooleanField("allowed", true);
      writeAll(json, request, List.of());
    } else {
      writeInactive(json, request.asked().getFirst());
    }
    json.writeStringField("mode", "inactive");
    json.writeEndObject();
  }
}
