package dev.weir.notifications.server.node;

import dev.weir.StoreException;
import dev.weir.internal.PeriodicTask;
import dev.weir.node.lifecycle.Upkeep;
import dev.weir.notifications.kafka.KafkaCluster;
import dev.weir.notifications.messages.SenderRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A sender that sends only while all senders of the database have the same provider. One that
 * differs sends nothing and says so, until the others have gone. So a provider can be changed node
 * by node: the old ones send until the last of them has stopped. Thread-safe.
 */
public final class AgreedSender implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(AgreedSender.class);

  private static final Duration EVERY = Duration.ofSeconds(3);

  /** A node that has not been seen for this time has crashed. */
  private static final Duration TTL = Duration.ofSeconds(30);

  private final SenderPart sender;
  private final SenderRegistry registry;
  private final String provider;
  private final UUID node = UUID.randomUUID();
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable PeriodicTask task;
  private boolean isClosed;

  /** Another provider that other senders use; empty if there is none. */
  private volatile Optional<String> other = Optional.empty();

  /**
   * Creates a sender that is not started.
   *
   * @param sender closed with this one
   * @param provider identifies the provider of this node
   */
  public AgreedSender(SenderPart sender, SenderRegistry registry, String provider) {
    this.sender = sender;
    this.registry = registry;
    this.provider = provider;
  }

  /** Starts the sender as soon as the others agree, unless it was started or closed before. */
  public void start(KafkaCluster cluster) {
    lock.lock();
    try {
      if (task == null && !isClosed) {
        task = Upkeep.start("agreement of senders", () -> check(cluster), EVERY);
        checkFirst(cluster);
      }
    } finally {
      lock.unlock();
    }
  }

  private void checkFirst(KafkaCluster cluster) {
    try {
      check(cluster);
    } catch (StoreException e) {
      log.warn("The sender starts when the database is back: {}", e.getMessage());
    }
  }

  private void check(KafkaCluster cluster) {
    Optional<String> found = registry.join(node, provider, TTL);
    lock.lock();
    try {
      if (isClosed) {
        return;
      }
      if (found.isEmpty()) {
        sender.start(cluster);
      } else {
        sender.stop();
      }
    } finally {
      lock.unlock();
    }
    if (found.isPresent() && !found.equals(other)) {
      log.error("{}", warning(found.get()));
    } else if (found.isEmpty() && other.isPresent()) {
      log.info("All senders use the provider {}: this node sends", provider);
    }
    other = found;
  }

  private String warning(String found) {
    return ("this node sends no messages: its weir.notifications.provider is %s, and that of"
            + " another sender on this database is %s")
        .formatted(provider, found);
  }

  /** Returns what operators should know; empty if this node sends or was not started. */
  public List<String> warnings() {
    return other.map(this::warning).map(List::of).orElse(List.of());
  }

  @Override
  public void close() {
    @Nullable PeriodicTask running;
    lock.lock();
    try {
      isClosed = true;
      running = task;
    } finally {
      lock.unlock();
    }
    if (running != null) {
      running.close();
    }
    try {
      sender.close();
    } finally {
      if (running != null) {
        leave();
      }
    }
  }

  private void leave() {
    try {
      registry.leave(node);
    } catch (StoreException e) {
      log.debug("The other senders notice later that this one has gone: {}", e.getMessage());
    }
  }

  @Override
  public String toString() {
    return "the sender";
  }
}
