package dev.weir.store.redis;

import dev.weir.StoreException;
import dev.weir.internal.SteadyClock;
import dev.weir.limits.StoreHistory;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisKeyAsyncCommands;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;

/**
 * A connection to a Redis or Valkey server or Cluster, shared by stores. Thread-safe.
 *
 * <p>It connects on first use, so that a node starts while Redis is down. It reconnects when the
 * connection is lost, and drops the connection itself if Redis no longer responds or is no longer a
 * master. Commands in flight then fail immediately and are never sent again. The caller that opened
 * it closes it, after the stores.
 */
public final class Redis implements AutoCloseable {
  /** The name of the store in its failures. */
  static final String STORE = "redis";

  /** The number of keys that Redis looks at in one step of a scan. */
  private static final int SCANNED_KEYS = 1_000;

  private static final Duration BETWEEN_STEPS = Duration.ofMillis(5);

  private final RedisSettings settings;
  private final KeyNames names;
  private final RedisConnector connector;
  private final Markers markers;
  private volatile long answeredAtNanos = System.nanoTime();

  /**
   * @param nowMicros a clock that never steps backwards
   */
  Redis(RedisSettings settings, StoreHistory history, LongSupplier nowMicros) {
    this.settings = settings;
    this.names = new KeyNames(settings.prefix());
    this.connector = new RedisConnector(settings);
    this.markers = new Markers(this, history, nowMicros);
  }

  /**
   * Opens a connection without waiting for Redis. An empty Redis in which this process has not seen
   * data is assumed to be new.
   */
  public static Redis open(RedisSettings settings) {
    return open(settings, StoreHistory.NONE);
  }

  /**
   * Opens a connection without waiting for Redis.
   *
   * @param history remembers whether Redis was used, so that a process that starts after Redis has
   *     lost its data notices the loss as well
   */
  public static Redis open(RedisSettings settings, StoreHistory history) {
    return new Redis(settings, history, SteadyClock.sinceStart());
  }

  /** Returns the name of this store in histories. */
  public String name() {
    return "redis " + settings.prefix();
  }

  RedisSettings settings() {
    return settings;
  }

  KeyNames names() {
    return names;
  }

  Markers markers() {
    return markers;
  }

  boolean isCluster() {
    return connector.isCluster();
  }

  /** Starts a script whose keys are in one slot; {@link #await} waits for its reply. */
  RedisCall<byte[]> run(Script script, byte[][] keys, byte[]... arguments) {
    return send(keys[0], commands -> run(commands, script, keys, arguments));
  }

  /**
   * Sends a command to the server that owns this key. It is not sent if the caller gives up before
   * there is a connection.
   */
  <T> RedisCall<T> send(
      byte[] key,
      Function<RedisClusterAsyncCommands<byte[], byte[]>, ? extends CompletionStage<T>> command) {
    return new RedisCall<>(
        connector.connection().thenCompose(connection -> connection.to(key)), command);
  }

  /**
   * Passes the names of all keys that match a pattern to a receiver, in portions. It reads the
   * names of all keys of all masters. A name may be passed twice; keys that are added or moved to
   * another node meanwhile may be missed.
   */
  void scan(String pattern, Consumer<List<String>> receiver) {
    ScanArgs arguments =
        ScanArgs.Builder.limit(SCANNED_KEYS).match(pattern, StandardCharsets.UTF_8);
    RedisConnection connection =
        await(
            new RedisCall<RedisConnection>(
                connector.connection(), CompletableFuture::completedFuture));
    for (CompletionStage<? extends RedisKeyAsyncCommands<byte[], byte[]>> master :
        connection.masters()) {
      ScanCursor cursor = ScanCursor.INITIAL;
      while (!cursor.isFinished()) {
        ScanCursor from = cursor;
        KeyScanCursor<byte[]> found =
            await(new RedisCall<>(master, commands -> commands.scan(from, arguments)));
        receiver.accept(
            found.getKeys().stream()
                .map(name -> new String(name, StandardCharsets.UTF_8))
                .toList());
        cursor = found;
      }
    }
  }

  private static CompletionStage<byte[]> run(
      RedisClusterAsyncCommands<byte[], byte[]> commands,
      Script script,
      byte[][] keys,
      byte[]... arguments) {
    return commands
        .<byte[]>evalsha(script.digest(), ScriptOutputType.VALUE, keys, arguments)
        .exceptionallyCompose(
            failure ->
                isUnknownScript(failure)
                    ? commands.<byte[]>eval(script.text(), ScriptOutputType.VALUE, keys, arguments)
                    : CompletableFuture.failedFuture(failure));
  }

  /**
   * Runs a step, and retries it for up to the command timeout while the slot of its keys is being
   * moved to another node of a Cluster. Meanwhile Redis rejects commands on several keys unless all
   * of them are on the same node.
   */
  <T> T whole(Supplier<T> step) {
    long deadlineNanos = deadlineNanos();
    while (true) {
      try {
        return step.get();
      } catch (StoreException e) {
        if (!isTorn(e) || System.nanoTime() - deadlineNanos >= 0) {
          throw e;
        }
        LockSupport.parkNanos(BETWEEN_STEPS.toNanos());
      }
    }
  }

  /** Returns true if nothing was done because the keys are on two nodes for the moment. */
  static boolean isTorn(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof RedisCommandExecutionException
          && String.valueOf(cause.getMessage()).startsWith("TRYAGAIN")) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the policy by which Redis evicts keys when its memory is full, which the stores do not
   * notice; empty if it does not evict. On a Cluster, only one node is queried.
   */
  public Optional<String> eviction() {
    byte[] key = markers.key(0);
    String info = await(send(key, commands -> commands.info("memory")));
    Map<String, String> fields = new HashMap<>();
    for (String line : info.lines().toList()) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        fields.put(line.substring(0, colon), line.substring(colon + 1));
      }
    }
    return "0".equals(fields.get("maxmemory"))
        ? Optional.empty()
        : Optional.ofNullable(fields.get("maxmemory_policy"))
            .filter(policy -> !policy.equals("noeviction"));
  }

  /**
   * Checks whether Redis has lost data, and records for other nodes what this node has seen. Call
   * it about every second, from one thread: a loss is then detected within that time even without
   * requests, and rules that are created later are not refused because of it. Reads one key; on a
   * Cluster, the keys of the next 256 slots.
   */
  public void look() {
    markers.look();
  }

  /** Waits as long as a command may take. */
  <T> T await(RedisCall<T> call) {
    return await(call, deadlineNanos());
  }

  long deadlineNanos() {
    return System.nanoTime() + settings.commandTimeout().toNanos();
  }

  <T> T await(RedisCall<T> call, long deadlineNanos) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          T reply = call.reply().get(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
          answeredAtNanos = System.nanoTime();
          return reply;
        } catch (InterruptedException e) {
          // The call is in flight, on behalf of other callers as well, and will be answered.
          interrupted = true;
        }
      }
    } catch (TimeoutException e) {
      StoreException.Outcome outcome = call.giveUp();
      long beganNanos = deadlineNanos - settings.commandTimeout().toNanos();
      if (answeredAtNanos - beganNanos < 0) {
        // No caller got a reply meanwhile: Redis hangs, or the connection is dead.
        connector.drop(beganNanos);
      }
      throw new StoreException(
          STORE,
          outcome,
          "Redis has not answered within " + readable(settings.commandTimeout()),
          e);
    } catch (CancellationException e) {
      throw failed(call.outcome(e), e);
    } catch (ExecutionException e) {
      if (isReadOnly(e)) {
        // Another server is the master now, and the same address may lead to it.
        connector.drop(System.nanoTime());
      }
      Throwable cause = causeOf(e);
      if (cause instanceof Error error) {
        // This process failed, not Redis.
        throw error;
      }
      throw failed(call.outcome(cause), cause);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void close() {
    connector.close();
  }

  /** Redis 6.2 reports it as part of a script's error. */
  private static boolean isReadOnly(ExecutionException failure) {
    return causeOf(failure) instanceof RedisCommandExecutionException error
        && String.valueOf(error.getMessage()).contains("READONLY");
  }

  private static boolean isUnknownScript(Throwable failure) {
    return failure instanceof RedisNoScriptException
        || (failure instanceof CompletionException
            && failure.getCause() instanceof RedisNoScriptException);
  }

  private static StoreException failed(StoreException.Outcome outcome, Throwable failure) {
    String reason = "Redis failed: " + failure.getMessage();
    for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
      // The failure is that of the connection; only its cause mentions the certificate.
      if (cause instanceof SSLException) {
        return new StoreException(STORE, outcome, reason + ": " + cause.getMessage(), failure);
      }
    }
    return new StoreException(STORE, outcome, reason, failure);
  }

  private static Throwable causeOf(Throwable failure) {
    Throwable cause = failure.getCause();
    if (cause == null) {
      return failure;
    }
    return cause instanceof CompletionException ? causeOf(cause) : cause;
  }

  private static String readable(Duration duration) {
    return duration.toMillis() + " ms";
  }
}
