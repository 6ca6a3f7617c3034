package dev.weir.notifications.broker;

import dev.weir.internal.FolderLock;
import dev.weir.notifications.kafka.KafkaCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntUnaryOperator;
import org.apache.kafka.common.utils.Exit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Kafka broker in this process, alone in its cluster, on the loopback interface. It lets in only
 * clients with {@link #clientProperties}, whose secret other users of the machine cannot read. It
 * starts in the background when its address is first asked for, so that a program that sends no
 * message neither waits for it nor has it in memory.
 *
 * <p>Its data is in a folder and survives the process, also one that was killed. A broker that
 * could not be started, or has failed, is started again when its address is asked for, after a
 * pause that grows with each failure up to a minute. It keeps its address, so that clients
 * reconnect.
 *
 * <p>A process should have one of them: Kafka reports failures to the process, and the last one
 * that was started takes them for its own. Thread-safe.
 */
public final class EmbeddedKafka implements KafkaCluster, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(EmbeddedKafka.class);

  private static final Duration MAX_PAUSE = Duration.ofMinutes(1);

  private final Path folder;
  private final IntUnaryOperator relay;
  private final BrokerTimes times;
  private final ReentrantLock lock = new ReentrantLock();

  /** Known before the address is. */
  private volatile Map<String, String> clientProperties = Map.of();

  // The rest is used under the lock.
  private @Nullable CompletableFuture<RaftBroker> start;

  /** The thread of that start. */
  private @Nullable Thread starting;

  /** Held from the first start until it is closed, also while no broker runs. */
  private @Nullable FolderLock claim;

  private boolean isClosed;

  /** The ports of the last broker that has started; clients may know them. */
  private @Nullable BrokerPorts ports;

  /** A broker that has failed, which holds its ports and its folder until it is stopped. */
  private @Nullable RaftBroker broken;

  /** Failures without a long time between them. */
  private int failures;

  private long failedNanos;

  /**
   * Creates a broker that is not started yet.
   *
   * @param folder where its data is; created if it is missing
   */
  public EmbeddedKafka(Path folder) {
    this(folder, port -> port, BrokerTimes.DEFAULT);
  }

  /**
   * Creates a broker behind a relay.
   *
   * @param relay returns the port by which clients reach the broker, given the port of the broker;
   *     called for each new port
   */
  EmbeddedKafka(Path folder, IntUnaryOperator relay, BrokerTimes times) {
    this.folder = folder;
    this.relay = relay;
    this.times = times;
  }

  @Override
  public Optional<String> bootstrapServers(Duration maxWait) {
    try {
      return Optional.of(started().get(maxWait.toNanos(), TimeUnit.NANOSECONDS).address());
    } catch (TimeoutException | ExecutionException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  @Override
  public boolean isStarting() {
    lock.lock();
    try {
      return start != null && !start.isDone();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Map<String, String> clientProperties() {
    return clientProperties;
  }

  private CompletableFuture<RaftBroker> started() {
    lock.lock();
    try {
      if (isClosed) {
        return CompletableFuture.failedFuture(new IllegalStateException("the broker is closed"));
      }
      CompletableFuture<RaftBroker> known = start;
      if (known != null && (!known.isCompletedExceptionally() || isPausing())) {
        return known;
      }
      CompletableFuture<RaftBroker> result = new CompletableFuture<>();
      start = result;
      @Nullable RaftBroker old = broken;
      broken = null;
      @Nullable Thread former = starting;
      starting =
          Thread.ofPlatform()
              .daemon()
              .name("weir-kafka-start")
              .start(() -> start(result, old, former));
      return result;
    } finally {
      lock.unlock();
    }
  }

  private boolean isPausing() {
    // More doublings than this exceed the maximum in any case.
    long pauseNanos = times.firstPause().toNanos() << Math.min(failures - 1, 16);
    return System.nanoTime() - failedNanos < Math.min(pauseNanos, MAX_PAUSE.toNanos());
  }

  private void start(
      CompletableFuture<RaftBroker> result, @Nullable RaftBroker old, @Nullable Thread former) {
    long begunNanos = System.nanoTime();
    try {
      if (former != null && !former.join(times.maxStop())) {
        throw new IllegalStateException("the start before has not ended yet");
      }
      if (old != null) {
        old.stop();
      }
      BrokerPorts chosen = choosePorts();
      claimFolder();
      keepProcessAlive();
      BrokerSecret secret = BrokerSecret.in(folder);
      RaftBroker broker = RaftBroker.start(folder, chosen, secret, times);
      clientProperties = secret.clientProperties();
      log.info(
          "Kafka started on {} in {} ms, its data is in {}",
          broker.address(),
          TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begunNanos),
          folder);
      started(result, broker, chosen);
    } catch (Exception | Error e) {
      log.error("Kafka could not be started in {}", folder, e);
      fail(result, e);
    }
  }

  private void claimFolder() throws IOException {
    lock.lock();
    try {
      if (isClosed) {
        throw new IllegalStateException("the broker is closed");
      }
      if (claim == null) {
        // Kafka has a lock of its own, but takes it only after it has written to the log of its
        // controller.
        Files.createDirectories(folder);
        claim = FolderLock.claim(folder);
      }
    } finally {
      lock.unlock();
    }
  }

  private BrokerPorts choosePorts() throws IOException {
    lock.lock();
    try {
      if (ports != null) {
        return ports;
      }
    } finally {
      lock.unlock();
    }
    return BrokerPorts.choose(relay);
  }

  private void started(CompletableFuture<RaftBroker> result, RaftBroker broker, BrokerPorts used) {
    lock.lock();
    try {
      if (result.complete(broker)) {
        ports = used;
        return;
      }
    } finally {
      lock.unlock();
    }
    // Closed meanwhile, or it has failed already.
    broker.stop();
  }

  /** Notes the failure of a start. */
  private void fail(CompletableFuture<RaftBroker> result, Throwable failure) {
    lock.lock();
    try {
      if (result.completeExceptionally(failure)) {
        countFailure();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Notes that the broker has failed; it is started again when it is needed. */
  private void failed(String message) {
    lock.lock();
    try {
      CompletableFuture<RaftBroker> known = start;
      if (isClosed || known == null || known.isCompletedExceptionally()) {
        return;
      }
      IllegalStateException failure = new IllegalStateException("Kafka has failed: " + message);
      if (known.completeExceptionally(failure)) {
        countFailure();
        endStart();
      } else {
        broken = known.join();
        start = CompletableFuture.failedFuture(failure);
        countFailure();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends a start that would wait for ever for what has failed. Called under the lock. */
  private void endStart() {
    Thread thread = starting;
    if (thread != null && !thread.equals(Thread.currentThread())) {
      thread.interrupt();
    }
  }

  private void countFailure() {
    long now = System.nanoTime();
    boolean isRare = failures == 0 || now - failedNanos > 2 * MAX_PAUSE.toNanos();
    failures = isRare ? 1 : failures + 1;
    failedNanos = now;
  }

  /**
   * Kafka ends its process if its storage fails. This process has other things to do: the broker
   * stops answering, which is noticed where messages are published, and is started again then.
   */
  private void keepProcessAlive() {
    Exit.Procedure refuse =
        (status, message) -> {
          log.error("Kafka has failed, and is started again when it is needed: {}", message);
          failed(String.valueOf(message));
          // Ends the thread of Kafka that expects the process to end.
          throw new IllegalStateException("Kafka has failed: " + message);
        };
    Exit.setExitProcedure(refuse);
    Exit.setHaltProcedure(refuse);
  }

  /** Stops the broker, or keeps it from starting. */
  @Override
  public void close() {
    @Nullable RaftBroker broker;
    lock.lock();
    try {
      isClosed = true;
      broker = broken;
      CompletableFuture<RaftBroker> known = start;
      if (known != null
          && !known.completeExceptionally(new IllegalStateException("the broker is closed"))
          && !known.isCompletedExceptionally()) {
        broker = known.join();
      }
    } finally {
      lock.unlock();
    }
    try {
      if (broker != null) {
        broker.stop();
      }
    } finally {
      release();
    }
  }

  /** Lets other brokers have the folder, when a start that is in progress has ended. */
  private void release() {
    @Nullable Thread thread;
    @Nullable FolderLock held;
    lock.lock();
    try {
      endStart();
      thread = starting;
      held = claim;
      claim = null;
    } finally {
      lock.unlock();
    }
    try {
      if (thread != null && !thread.join(times.maxStop())) {
        log.warn("The start of Kafka has not ended within {}", times.maxStop());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    try {
      if (held != null) {
        held.close();
      }
    } catch (IOException e) {
      log.warn("The folder of Kafka is not released before the process ends", e);
    }
  }

  @Override
  public String toString() {
    return "Kafka in " + folder;
  }
}
