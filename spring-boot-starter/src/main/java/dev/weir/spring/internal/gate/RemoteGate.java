package dev.weir.spring.internal.gate;

import dev.weir.StoreException;
import dev.weir.client.Authorization;
import dev.weir.client.Call;
import dev.weir.client.OriginalRequest;
import dev.weir.client.Outcome;
import dev.weir.client.ProblemException;
import dev.weir.client.Reply;
import dev.weir.client.Retries;
import dev.weir.client.UnansweredException;
import dev.weir.client.WeirClient;
import dev.weir.internal.LimitNames;
import dev.weir.limits.CircuitBreaker;
import dev.weir.rules.Ticket;
import dev.weir.rules.matching.Request;
import dev.weir.rules.matching.internal.RepeatedHeaderException;
import dev.weir.rules.text.RateLimitFields;
import dev.weir.spring.WeirProperties.OnFailure;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Consults a Weir server about each request, as a proxy would.
 *
 * <p>If the server is unavailable, a few requests wait for a time-out, and then none does for a
 * while. Meanwhile requests pass or get 503, depending on the settings.
 */
public final class RemoteGate implements Gate, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RemoteGate.class);
  private static final Duration MIN_CONNECT_TIMEOUT = Duration.ofSeconds(1);
  private static final int REFUSED = 429;
  private static final int BAD_GATEWAY = 502;
  private static final int UNAVAILABLE = 503;
  private static final int GATEWAY_TIMEOUT = 504;

  private final Settings settings;
  private final FlowObserver observer;
  private final WeirClient client;
  private final CircuitBreaker breaker;

  /** Why the last request was not decided. */
  private volatile String problem = "";

  /**
   * The address of the Weir server and how to call it.
   *
   * @param url without a trailing slash
   * @param headers the headers of a request that are forwarded
   */
  public record Settings(
      URI url, Optional<String> key, Duration timeout, OnFailure onFailure, List<String> headers) {
    /** Returns the settings without the key. */
    @Override
    public String toString() {
      return "Settings[url=" + url + "]";
    }
  }

  public RemoteGate(Settings settings, FlowObserver observer) {
    this.settings = settings;
    this.observer = observer;
    WeirClient.Builder builder =
        WeirClient.at(settings.url())
            .connectTimeout(connectTimeout(settings.timeout()))
            .attemptTimeout(settings.timeout())
            .timeout(settings.timeout())
            // A request of a user waits meanwhile; the breaker says when to call again.
            .retries(Retries.NONE);
    settings.key().filter(key -> !key.isBlank()).ifPresent(builder::credential);
    this.client = builder.build();
    this.breaker =
        new CircuitBreaker(
            CircuitBreaker.Settings.DEFAULT,
            () -> TimeUnit.NANOSECONDS.toMicros(System.nanoTime()),
            () -> ThreadLocalRandom.current().nextLong(),
            this::log);
  }

  /**
   * Returns the part of a time-out in which there has to be a connection. Most of the time-out is
   * for the queues of rules, so it is only a fifth, but a second if there is one: a server that
   * cannot be reached is noticed earlier than one that makes requests wait.
   */
  private static Duration connectTimeout(Duration timeout) {
    Duration fifth = timeout.dividedBy(5);
    if (fifth.compareTo(MIN_CONNECT_TIMEOUT) >= 0) {
      return fifth;
    }
    return timeout.compareTo(MIN_CONNECT_TIMEOUT) < 0 ? timeout : MIN_CONNECT_TIMEOUT;
  }

  private void log(CircuitBreaker.State state) {
    switch (state) {
      case OPEN -> log.warn("Weir at {} is not called for a while: {}", settings.url(), problem);
      case CLOSED -> log.info("Weir at {} decides again", settings.url());
      case HALF_OPEN -> {}
    }
  }

  @Override
  public CompletableFuture<Admission> admit(Request request) {
    OriginalRequest original;
    try {
      original = original(request);
    } catch (RepeatedHeaderException e) {
      return CompletableFuture.completedFuture(
          new Admission.Refused(List.of(), Problem.repeatedHeader(e)));
    }
    // From here on the breaker must always be notified of the outcome.
    if (!breaker.mayTry()) {
      observer.remoteDecided(FlowObserver.Outcome.FAILED);
      return CompletableFuture.completedFuture(undecided(StoreException.Outcome.NONE));
    }
    CompletableFuture<Admission> decision = new CompletableFuture<>();
    Thread call = Thread.ofVirtual().name("weir-authorize").start(() -> decide(original, decision));
    var unused =
        decision.whenComplete(
            (admission, failure) -> {
              if (decision.isCancelled()) {
                call.interrupt();
              }
            });
    return decision;
  }

  private void decide(OriginalRequest request, CompletableFuture<Admission> decision) {
    try {
      decision.complete(admission(client.limits().authorize(request)));
    } catch (RuntimeException | Error e) {
      breaker.notCalled();
      decision.completeExceptionally(e);
    }
  }

  private OriginalRequest original(Request request) {
    OriginalRequest original =
        OriginalRequest.of(request.method(), request.path().text(), request.clientAddress());
    for (String name : settings.headers()) {
      String value = request.header(name);
      if (value != null && !value.isBlank()) {
        original =
            original.header(name, isSendable(value) ? value : LimitNames.digest(value.strip()));
      }
    }
    return original;
  }

  /**
   * Returns true if the value can be sent. The client would replace characters that are not ASCII
   * with question marks, so that different values would be counted as one.
   */
  public static boolean isSendable(String value) {
    return value.chars().allMatch(c -> c == '\t' || (c >= ' ' && c < 0x7F));
  }

  private Admission admission(Authorization authorization) {
    return switch (authorization) {
      case Authorization.Granted granted -> {
        breaker.succeeded();
        observer.remoteDecided(FlowObserver.Outcome.ALLOWED);
        yield new Admission.Passed(fields(granted.reply()), Ticket.NONE);
      }
      case Authorization.Refused refused -> {
        breaker.succeeded();
        observer.remoteDecided(FlowObserver.Outcome.REFUSED);
        yield new Admission.Refused(
            fields(refused.reply()), new Problem(REFUSED, refused.reply().text()));
      }
      case Authorization.Undecided undecided ->
          switch (undecided.failure()) {
            case UnansweredException unanswered -> undecided(unanswered);
            case ProblemException failed -> undecided(failed);
          };
    };
  }

  private Admission undecided(UnansweredException unanswered) {
    switch (unanswered.reason()) {
      case INTERRUPTED, CLOSED -> {
        // The client has left, or the service ends: neither a success nor a failure of the server.
        breaker.notCalled();
        return undecided(StoreException.Outcome.UNKNOWN);
      }
      case UNREACHABLE, TIMED_OUT, BROKEN, NOT_WEIR -> {}
    }
    return failed(String.valueOf(unanswered.getMessage()), unanswered.outcome());
  }

  private Admission undecided(ProblemException failed) {
    int status = failed.problem().status();
    if (!failed.problem().isWeirs()) {
      return failed(
          "it responds with " + status + ", which is not a response of Weir", failed.outcome());
    }
    if (status == BAD_GATEWAY || status == GATEWAY_TIMEOUT) {
      // Of a gateway in between that is a Weir server too.
      return failed("a gateway in front of it responds with " + status, failed.outcome());
    }
    breaker.succeeded();
    observer.remoteDecided(FlowObserver.Outcome.FAILED);
    if (status == UNAVAILABLE) {
      // The server says so itself, once for each outage.
      log.debug("Weir at {} cannot decide: {}", settings.url(), failed.problem().text());
      return new Admission.Refused(
          fields(failed.reply()),
          failed.problem().is("store-unavailable")
              // It says which rules are closed.
              ? new Problem(UNAVAILABLE, failed.reply().text())
              : Problem.undecided(StoreException.Outcome.of(failed.outcome() == Outcome.UNKNOWN)));
    }
    // The server is available but does not allow this request. A client may have caused that,
    // and a rule that should fail open does so on the server.
    log.warn("Weir at {} answers {}: {}", settings.url(), status, failed.problem().text());
    return new Admission.Refused(
        fields(failed.reply()), Problem.undecided(StoreException.Outcome.NONE));
  }

  private Admission failed(String reason, Outcome outcome) {
    problem = reason;
    breaker.failed();
    observer.remoteDecided(FlowObserver.Outcome.FAILED);
    return undecided(StoreException.Outcome.of(outcome == Outcome.UNKNOWN));
  }

  private static List<Admission.Field> fields(Reply reply) {
    List<Admission.Field> fields = new ArrayList<>();
    for (Map.Entry<String, List<String>> header : reply.headers().map().entrySet()) {
      String name = header.getKey().toLowerCase(Locale.ROOT);
      if (name.startsWith("ratelimit")
          || name.startsWith("x-ratelimit-")
          || name.equals("retry-after")) {
        header.getValue().forEach(value -> fields.add(new Admission.Field(header.getKey(), value)));
      }
    }
    return fields;
  }

  private Admission undecided(StoreException.Outcome outcome) {
    return switch (settings.onFailure()) {
      case OPEN -> new Admission.Passed(List.of(), Ticket.NONE);
      case CLOSED -> {
        List<Admission.Field> fields = new ArrayList<>();
        RateLimitFields.addRetryAfter(
            (name, value) -> fields.add(new Admission.Field(name, value)),
            breaker.retryAfterMicros());
        yield new Admission.Refused(fields, Problem.undecided(outcome));
      }
    };
  }

  @Override
  public void end(Ticket ticket) {}

  /** Cancels the exchange if it is not over, so that the server gives its place to another. */
  @Override
  public void leave(CompletableFuture<Admission> decision) {
    decision.cancel(true);
  }

  /** Returns this gate, because it never blocks. */
  @Override
  public Gate on(Executor threads) {
    return this;
  }

  @Override
  public Status status() {
    Map<String, Object> details = Map.of("weir", settings.url().toString());
    try {
      client.send(Call.get("/health/ready"));
      return new Status(details, "");
    } catch (ProblemException notReady) {
      return new Status(details, "Weir answers " + notReady.problem().status());
    } catch (UnansweredException e) {
      return new Status(details, "Weir does not answer");
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
