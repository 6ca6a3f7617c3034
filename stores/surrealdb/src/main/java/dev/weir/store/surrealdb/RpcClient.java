package dev.weir.store.surrealdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.StoreException;
import dev.weir.StoreException.Outcome;
import dev.weir.internal.WatchedBody;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * SurrealDB's interface over HTTP: queries as remote procedure calls in CBOR, with the token of a
 * user that signs in once. Signing in costs SurrealDB a password hash, which limits it to some
 * fifty per second. Thread-safe.
 */
final class RpcClient implements AutoCloseable {
  private static final String CBOR = "application/cbor";
  private static final int UNAUTHORIZED = 401;

  /** A token is renewed when it is valid for less than this, or a quarter of its time. */
  private static final long RENEW_SECONDS = 60;

  /** The time between two attempts to renew a token that is still valid. */
  private static final long RETRY_SECONDS = 5;

  private final SurrealDbSettings settings;
  private final InstantSource clock;
  private final URI rpc;
  private final URI signIn;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient http;
  private final ReentrantLock signingIn = new ReentrantLock();
  private volatile @Nullable Token token;

  RpcClient(SurrealDbSettings settings, InstantSource clock) {
    this.settings = settings;
    this.clock = clock;
    this.rpc = settings.uri().resolve("/rpc");
    this.signIn = settings.uri().resolve("/signin");
    this.http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            // Shorter than the whole wait, so that it is known that nothing was sent.
            .connectTimeout(settings.timeout().multipliedBy(3).dividedBy(4))
            .followRedirects(HttpClient.Redirect.NEVER)
            .executor(threads)
            .build();
  }

  /**
   * Sends a query, and signs in before if necessary.
   *
   * @throws StoreException if it was not sent or not answered
   */
  Reply query(Query query, long deadlineNanos) {
    byte[] body =
        CborWriter.encode(
            Map.of("method", "query", "params", List.of(query.text(), query.parameters())));
    Optional<Token> used = token(Optional.empty(), deadlineNanos);
    HttpResponse<byte[]> response = send(request(body, used), deadlineNanos, Outcome.UNKNOWN);
    if (response.statusCode() == UNAUTHORIZED && used.isPresent()) {
      used = token(used, deadlineNanos);
      response = send(request(body, used), deadlineNanos, Outcome.UNKNOWN);
    }
    return reply(response);
  }

  private HttpRequest request(byte[] body, Optional<Token> used) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(rpc)
            .header("Content-Type", CBOR)
            .header("Accept", CBOR)
            .header("surreal-ns", settings.namespace())
            .header("surreal-db", settings.database())
            .POST(WatchedBody.of(body));
    used.ifPresent(valid -> request.header("Authorization", "Bearer " + valid.text()));
    return request.build();
  }

  private static Reply reply(HttpResponse<byte[]> response) {
    int status = response.statusCode();
    if (status != 200) {
      // SurrealDB checks address, session, size, type and load before it executes anything. Other
      // errors may come from a proxy that has passed the query on.
      boolean isNothingDone = status < 500 || status == 503;
      throw failure(Outcome.of(!isNothingDone), "responds with HTTP status " + status);
    }
    Value content = content(response.body());
    Value error = content.get("error");
    if (error.isPresent()) {
      return Reply.failure(error.get("message").text());
    }
    List<Value> results = content.get("result").items();
    // The first statement that fails says why; the others only that it has.
    for (Value result : results) {
      if (!result.get("status").text().equals("OK")) {
        return Reply.failure(String.valueOf(result.get("result").content()));
      }
    }
    return new Reply.Done(results.isEmpty() ? new Value(null) : results.getLast().get("result"));
  }

  private static Value content(byte[] body) {
    try {
      return new Value(CborReader.decode(body));
    } catch (IllegalArgumentException e) {
      throw failure(Outcome.UNKNOWN, "responds with something other than CBOR", e);
    }
  }

  /**
   * Returns a valid token; empty if no user is configured.
   *
   * @param rejected the token that SurrealDB did not accept
   */
  private Optional<Token> token(Optional<Token> rejected, long deadlineNanos) {
    if (settings.user().isEmpty()) {
      return Optional.empty();
    }
    Token known = token;
    if (isUsable(known, rejected)) {
      return Optional.ofNullable(known);
    }
    if (known != null && isValid(known, rejected)) {
      return Optional.of(renewed(known, deadlineNanos));
    }
    try {
      // One caller signs in, and the others wait for its token.
      if (!signingIn.tryLock(remainingNanos(deadlineNanos), TimeUnit.NANOSECONDS)) {
        throw failure(Outcome.NONE, "does not sign in within " + settings.timeout());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failure(Outcome.NONE, "was not called: interrupted", e);
    }
    try {
      if (!isUsable(token, rejected)) {
        token = signIn(settings.user().orElseThrow(), deadlineNanos);
      }
      return Optional.ofNullable(token);
    } finally {
      signingIn.unlock();
    }
  }

  /**
   * Renews a token that is still valid, in part of the time. The other callers use it meanwhile,
   * and all do if that fails.
   */
  private Token renewed(Token known, long deadlineNanos) {
    if (!signingIn.tryLock()) {
      return known;
    }
    try {
      Token latest = token;
      if (latest != null && !latest.equals(known)) {
        return latest;
      }
      Token next;
      try {
        long halfNanos = remainingNanos(deadlineNanos) / 2;
        next = signIn(settings.user().orElseThrow(), System.nanoTime() + halfNanos);
      } catch (StoreException e) {
        next = known.renewedFrom(clock.instant().getEpochSecond() + RETRY_SECONDS);
      }
      token = next;
      return next;
    } finally {
      signingIn.unlock();
    }
  }

  private boolean isValid(Token known, Optional<Token> rejected) {
    boolean isRejected = rejected.filter(token -> token.text().equals(known.text())).isPresent();
    return !isRejected && !known.hasEnded(clock.instant().getEpochSecond());
  }

  private boolean isUsable(@Nullable Token known, Optional<Token> rejected) {
    return known != null
        && isValid(known, rejected)
        && !known.isDue(clock.instant().getEpochSecond());
  }

  private Token signIn(SurrealDbSettings.User user, long deadlineNanos) {
    HttpRequest request =
        HttpRequest.newBuilder(signIn)
            .header("Content-Type", "application/json")
            .header("Accept", "text/plain")
            .POST(HttpRequest.BodyPublishers.ofString(SignIn.body(settings, user)))
            .build();
    HttpResponse<byte[]> response = send(request, deadlineNanos, Outcome.NONE);
    if (response.statusCode() != 200) {
      throw failure(
          Outcome.NONE,
          "does not accept the user %s: HTTP status %d".formatted(user, response.statusCode()));
    }
    try {
      return Token.of(
          new String(response.body(), UTF_8).strip(),
          RENEW_SECONDS,
          clock.instant().getEpochSecond());
    } catch (IllegalArgumentException e) {
      throw failure(Outcome.NONE, "responds to the sign-in with something other than a token", e);
    }
  }

  /**
   * Sends a request and waits for the whole response. A timeout of the request itself would end
   * with the head of the response.
   *
   * @param ifSent the outcome if it was sent and not answered
   */
  private HttpResponse<byte[]> send(HttpRequest request, long deadlineNanos, Outcome ifSent) {
    long remainingNanos = remainingNanos(deadlineNanos);
    CompletableFuture<HttpResponse<byte[]>> response =
        http.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray());
    try {
      return response.get(remainingNanos, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      response.cancel(true);
      throw failure(ifSent, "does not respond in time", e);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      boolean isUnsent = WatchedBody.isUnsent(request, cause);
      throw failure(
          isUnsent ? Outcome.NONE : ifSent,
          isUnsent ? "cannot be reached" : "is lost: " + cause,
          e);
    } catch (InterruptedException e) {
      response.cancel(true);
      Thread.currentThread().interrupt();
      throw failure(ifSent, "was not waited for: interrupted", e);
    }
  }

  private long remainingNanos(long deadlineNanos) {
    long remaining = deadlineNanos - System.nanoTime();
    if (remaining <= 0) {
      throw failure(Outcome.NONE, "does not respond in time");
    }
    return remaining;
  }

  static StoreException failure(Outcome outcome, String message) {
    return new StoreException(SurrealDb.STORE, outcome, "SurrealDB " + message);
  }

  private static StoreException failure(Outcome outcome, String message, Exception cause) {
    return new StoreException(SurrealDb.STORE, outcome, "SurrealDB " + message, cause);
  }

  /** Closes all connections; calls in progress fail. */
  @Override
  public void close() {
    http.shutdownNow();
    threads.shutdownNow();
  }
}
