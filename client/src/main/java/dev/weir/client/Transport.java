package dev.weir.client;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Sends calls, and repeats those that may be repeated. Thread-safe. */
final class Transport implements AutoCloseable {
  private static final int NO_CONTENT = 204;

  private final WeirClient.Builder settings;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient http;
  private volatile boolean isClosed;

  /** The clock of time-outs, and how the time between two attempts passes. */
  interface Clock {
    Clock SYSTEM =
        new Clock() {
          @Override
          public long nanos() {
            return System.nanoTime();
          }

          @Override
          public void sleep(Duration time) throws InterruptedException {
            Thread.sleep(time);
          }
        };

    long nanos();

    void sleep(Duration time) throws InterruptedException;
  }

  Transport(WeirClient.Builder settings) {
    this.settings = settings;
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(settings.connectTimeout)
            .executor(threads);
    settings.sslContext.ifPresent(builder::sslContext);
    this.http = builder.build();
  }

  URI server() {
    return settings.server;
  }

  Retries retries() {
    return settings.retries;
  }

  <T> T send(Call call, Reply.Reader<T> reader) {
    Reply reply = send(call);
    try {
      return reader.read(reply);
    } catch (IOException notWeir) {
      throw UnansweredException.notWeir(settings.server, call.ifUnanswered(), notWeir);
    }
  }

  /**
   * Sends a call that is answered without content. A page that something in between shows in place
   * of the answer has some.
   */
  void sendForNothing(Call call) {
    send(
        call,
        reply -> {
          if (reply.status() != NO_CONTENT) {
            throw new IOException("it responds with %d, not 204".formatted(reply.status()));
          }
          return reply;
        });
  }

  /** Sends a call, if necessary several times, and returns an answer with a status of 2xx. */
  Reply send(Call call) {
    long start = settings.clock.nanos();
    Duration total = call.timeout().orElse(settings.timeout);
    boolean isUnknown = false;
    for (int attempt = 1; ; attempt++) {
      try {
        return sendOnce(call, total, left(total, start));
      } catch (WeirException failed) {
        isUnknown |= failed.outcome() == Outcome.UNKNOWN;
        Duration pause =
            settings.retries.pause(
                attempt, asked(failed), () -> ThreadLocalRandom.current().nextDouble());
        if (attempt >= settings.retries.maxAttempts()
            || !mayRepeat(call, failed)
            || pause.compareTo(left(total, start)) >= 0) {
          throw isUnknown && failed.outcome() == Outcome.NONE ? failed.afterUnknown() : failed;
        }
        pause(pause, isUnknown ? Outcome.UNKNOWN : Outcome.NONE);
      }
    }
  }

  private Duration left(Duration total, long start) {
    return total.minusNanos(settings.clock.nanos() - start);
  }

  private static Optional<Duration> asked(WeirException failed) {
    return switch (failed) {
      case ProblemException problem -> problem.reply().retryAfter();
      case UnansweredException unanswered -> Optional.empty();
    };
  }

  private static boolean mayRepeat(Call call, WeirException failed) {
    boolean isTemporary =
        switch (failed) {
          case ProblemException problem -> problem.problem().isTemporary();
          case UnansweredException unanswered ->
              switch (unanswered.reason()) {
                case UNREACHABLE, TIMED_OUT, BROKEN -> true;
                case NOT_WEIR, INTERRUPTED, CLOSED -> false;
              };
        };
    return isTemporary && (failed.outcome() == Outcome.NONE || call.isRepeatable());
  }

  /**
   * Waits before the next attempt of a call, or of a part of it.
   *
   * @param before what is known of the attempts before
   */
  void pause(Duration time, Outcome before) {
    try {
      settings.clock.sleep(time);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw UnansweredException.interrupted(settings.server, before, e);
    }
  }

  /** Makes one attempt, which ends with the whole answer or when its time has passed. */
  private Reply sendOnce(Call call, Duration total, Duration left) {
    Duration max = min(call.timeout().orElse(settings.attemptTimeout), total);
    Duration timeout = min(max, left);
    HttpRequest request = request(call);
    if (isClosed) {
      throw UnansweredException.closed(
          settings.server, Outcome.NONE, new CancellationException("closed"));
    }
    CompletableFuture<HttpResponse<byte[]>> answer;
    try {
      answer = http.sendAsync(request, BoundedBody.handler(settings.maxAnswerBytes));
    } catch (RejectedExecutionException e) {
      throw UnansweredException.closed(settings.server, Outcome.NONE, e);
    }
    try {
      HttpResponse<byte[]> response =
          answer.get(Math.max(1, timeout.toNanos()), TimeUnit.NANOSECONDS);
      return accepted(call, new Reply(response.statusCode(), response.headers(), response.body()));
    } catch (TimeoutException e) {
      answer.cancel(true);
      throw UnansweredException.timedOut(settings.server, max, call.ifUnanswered(), e);
    } catch (InterruptedException e) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw isClosed
          ? UnansweredException.closed(settings.server, call.ifUnanswered(), e)
          : UnansweredException.interrupted(settings.server, call.ifUnanswered(), e);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      if (isClosed) {
        throw UnansweredException.closed(settings.server, call.ifUnanswered(), cause);
      }
      if (cause instanceof BoundedBody.TooLongException tooLong) {
        throw UnansweredException.notWeir(settings.server, call.ifUnanswered(), tooLong);
      }
      throw UnansweredException.of(settings.server, cause, call.ifUnanswered());
    } catch (CancellationException e) {
      throw UnansweredException.closed(settings.server, call.ifUnanswered(), e);
    }
  }

  private static Duration min(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private static Reply accepted(Call call, Reply reply) {
    if (reply.status() / 100 == 2) {
      return reply;
    }
    Problem problem = Problem.of(reply);
    throw new ProblemException(
        problem, reply, problem.mayBeDone() ? call.ifUnanswered() : Outcome.NONE);
  }

  private HttpRequest request(Call call) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(settings.at(call.target())).method(call.method(), call.body());
    addUnlessGiven(request, call, "User-Agent", settings.userAgent);
    addUnlessGiven(request, call, "Accept", call.accepted() + ", application/problem+json");
    settings
        .credential
        .map(token -> Requirements.printable("credential", token.get()))
        .ifPresent(token -> addUnlessGiven(request, call, "Authorization", "Bearer " + token));
    call.headers().forEach(header -> request.header(header.name(), header.value()));
    return request.build();
  }

  /** A field that occurs twice is refused by rules that count by it. */
  private static void addUnlessGiven(
      HttpRequest.Builder request, Call call, String name, String value) {
    if (!call.hasHeader(name)) {
      request.header(name, value);
    }
  }

  /** Runs a call beside the caller's thread. */
  <T> Future<T> start(Callable<T> work) {
    try {
      return threads.submit(work);
    } catch (RejectedExecutionException e) {
      throw UnansweredException.closed(settings.server, Outcome.NONE, e);
    }
  }

  @Override
  public void close() {
    isClosed = true;
    http.shutdownNow();
    threads.shutdownNow();
  }
}
