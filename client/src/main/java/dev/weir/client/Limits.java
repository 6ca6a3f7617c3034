package dev.weir.client;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/** The limits of a server: checks by rule, token buckets and leases of resources. Thread-safe. */
public final class Limits {
  private final Transport transport;

  Limits(Transport transport) {
    this.transport = transport;
  }

  /** Takes one unit of a rule if it is available. */
  public CheckResult check(String rule, String key) {
    return check(CheckRequest.of(rule, key));
  }

  /** Takes what is requested if all of it is available. */
  public CheckResult check(CheckRequest request) {
    Call call = Call.post("/api/v1/check").json(text(request, json -> {}));
    return decide(request.requestId().isPresent() ? call.repeatable() : call, request);
  }

  /** Returns what {@link #check} would, and takes nothing. */
  public CheckResult peek(CheckRequest request) {
    return decide(
        Call.post("/api/v1/check")
            .json(text(request, json -> json.writeBooleanField("peek", true)))
            .repeatable(),
        request);
  }

  private CheckResult decide(Call call, CheckRequest request) {
    try {
      return transport.send(call, reply -> CheckResult.allowed(request, reply.json()));
    } catch (ProblemException refused) {
      return refused.problem().isRefusal()
          ? refused(refused)
          : undecided(refused, CheckResult.Undecided::new);
    } catch (UnansweredException unanswered) {
      return new CheckResult.Undecided(unanswered);
    }
  }

  private CheckResult refused(ProblemException refused) {
    try {
      return CheckResult.refused(refused.problem(), refused.reply().retryAfter());
    } catch (IOException notWeir) {
      return new CheckResult.Undecided(
          UnansweredException.notWeir(transport.server(), Outcome.NONE, notWeir));
    }
  }

  /** Returns the result without a decision, or throws if the request is at fault. */
  private static <T> T undecided(ProblemException problem, Function<WeirException, T> undecided) {
    if (problem.problem().isFaultOfRequest()) {
      throw problem;
    }
    return undecided.apply(problem);
  }

  /**
   * Gives back what a check granted, because the work did not happen. Once, if the check had a
   * request id; otherwise each time that this is called.
   */
  public void refund(CheckResult.Allowed granted) {
    if (granted.mode() == Mode.INACTIVE) {
      return;
    }
    boolean hasId = granted.request().requestId().isPresent();
    Call call =
        Call.post("/api/v1/refund")
            .json(
                JsonText.object(
                    json -> {
                      writeGranted(json, granted);
                      json.writeStringField("mode", granted.mode().name().toLowerCase(Locale.ROOT));
                      if (granted.lease().isPresent()) {
                        json.writeStringField("leaseId", granted.lease().get().id());
                      }
                      if (hasId) {
                        json.writeStringField("requestId", granted.request().requestId().get());
                      } else if (granted.decidedAt().isPresent()) {
                        json.writeStringField("decidedAt", granted.decidedAt().get().toString());
                      }
                    }));
    transport.sendForNothing(hasId ? call.repeatable() : call);
  }

  private static void writeGranted(JsonGenerator json, CheckResult.Allowed granted)
      throws IOException {
    List<CheckRequest.Demand> demands = granted.request().demands();
    if (demands.size() == 1) {
      write(json, demands.getFirst());
      writeQueued(json, granted.rules().getFirst());
      return;
    }
    json.writeArrayFieldStart("all");
    for (int i = 0; i < demands.size(); i++) {
      json.writeStartObject();
      write(json, demands.get(i));
      writeQueued(json, granted.rules().get(i));
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void writeQueued(JsonGenerator json, CheckResult.RuleState state)
      throws IOException {
    if (state.queued().isPresent()) {
      json.writeBooleanField("queued", state.queued().get());
    }
  }

  /**
   * Renews the lease of a check; returns when it ends now, or empty if it has ended: then the work
   * must stop.
   */
  public Optional<Instant> renew(CheckResult.Allowed granted) {
    String leaseId =
        granted
            .lease()
            .orElseThrow(() -> new IllegalArgumentException("granted must have a lease"))
            .id();
    CheckRequest withoutId = new CheckRequest(granted.request().demands(), Optional.empty());
    try {
      return transport.send(
          Call.post("/api/v1/renew")
              .json(text(withoutId, json -> json.writeStringField("leaseId", leaseId)))
              .repeatable(),
          reply -> Optional.of(reply.json().requiredTime("expiresAt")));
    } catch (ProblemException refused) {
      if (refused.problem().is("unknown-lease")) {
        return Optional.empty();
      }
      throw refused;
    }
  }

  /**
   * Takes tokens from the bucket of a resource. Such a request has no id: it is repeated only if
   * nothing was taken.
   */
  public TakeResult take(String resource, long tokens) {
    try {
      return transport.send(
          Call.post("/api/v1/buckets/" + Call.segment(resource) + "/acquire")
              .json(JsonText.object(json -> json.writeNumberField("tokens", tokens))),
          reply -> {
            JsonObject json = reply.json();
            return new TakeResult.Taken(
                json.requiredNumber("remaining"),
                json.seconds("reset").orElse(Duration.ZERO),
                json.requiredConstant("mode", Mode.values()));
          });
    } catch (ProblemException refused) {
      return refused.problem().isRefusal()
          ? new TakeResult.Insufficient(
              refused.problem().json().number("available").orElse(0L),
              retryAfter(refused),
              refused.problem())
          : undecided(refused, TakeResult.Undecided::new);
    } catch (UnansweredException unanswered) {
      return new TakeResult.Undecided(unanswered);
    }
  }

  /** Acquires one place of a resource. */
  public LeaseResult lease(String resource) {
    return lease(resource, 1);
  }

  /**
   * Acquires places of a resource. Such a request has no id: it is repeated only if nothing was
   * taken.
   */
  public LeaseResult lease(String resource, int places) {
    String leases = "/api/v1/concurrency/" + Call.segment(resource) + "/leases";
    try {
      return transport.send(
          Call.post(leases).json(JsonText.object(json -> json.writeNumberField("count", places))),
          reply -> new LeaseResult.Acquired(Lease.read(transport, leases, reply.json())));
    } catch (ProblemException refused) {
      return refused.problem().isRefusal()
          ? new LeaseResult.Full(
              refused.problem().json().number("current").orElse(0L),
              refused.problem().json().number("max").orElse(0L),
              retryAfter(refused),
              refused.problem())
          : undecided(refused, LeaseResult.Undecided::new);
    } catch (UnansweredException unanswered) {
      return new LeaseResult.Undecided(unanswered);
    }
  }

  private static Duration retryAfter(ProblemException refused) {
    return refused
        .problem()
        .json()
        .seconds("retryAfter")
        .or(() -> refused.reply().retryAfter())
        .orElse(Duration.ZERO);
  }

  /**
   * Asks about a request to a service by the rules that cover its path. It is repeated only if
   * nothing was counted. The answer to a request that has to wait comes after its wait.
   */
  public Authorization authorize(OriginalRequest request) {
    Call call =
        // Not by GET, which the JDK's client repeats if its connection breaks.
        Call.post("/api/v1/authorize")
            .header("X-Original-Method", request.method())
            .header("X-Original-URI", OriginalRequest.ascii(request.uri()))
            .header("X-Forwarded-For", request.clientAddress());
    for (OriginalRequest.Header header : request.headers()) {
      call = call.header(header.name(), header.value());
    }
    try {
      return transport.send(
          call,
          reply -> {
            if (!reply.headers().firstValue("Weir-Decision").equals(Optional.of("granted"))) {
              throw new IOException("it responds with 200 and no Weir-Decision");
            }
            return new Authorization.Granted(reply);
          });
    } catch (ProblemException refused) {
      return refused.problem().isRefusal()
          ? new Authorization.Refused(refused.problem(), refused.reply())
          : new Authorization.Undecided(refused);
    } catch (UnansweredException unanswered) {
      return new Authorization.Undecided(unanswered);
    }
  }

  private static String text(CheckRequest request, JsonText.Part more) {
    return JsonText.object(
        json -> {
          if (request.demands().size() == 1) {
            write(json, request.demands().getFirst());
          } else {
            json.writeArrayFieldStart("all");
            for (CheckRequest.Demand demand : request.demands()) {
              json.writeStartObject();
              write(json, demand);
              json.writeEndObject();
            }
            json.writeEndArray();
          }
          if (request.requestId().isPresent()) {
            json.writeStringField("requestId", request.requestId().get());
          }
          more.write(json);
        });
  }

  private static void write(JsonGenerator json, CheckRequest.Demand demand) throws IOException {
    json.writeStringField("rule", demand.rule());
    json.writeStringField("key", demand.key());
    json.writeNumberField("cost", demand.cost());
  }
}
