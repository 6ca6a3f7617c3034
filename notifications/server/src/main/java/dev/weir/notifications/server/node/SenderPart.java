package dev.weir.notifications.server.node;

import dev.weir.limits.Limiter;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import dev.weir.notifications.kafka.KafkaCluster;
import dev.weir.notifications.kafka.MessageTopics;
import dev.weir.notifications.messages.MessageLog;
import dev.weir.notifications.provider.SmsProvider;
import dev.weir.notifications.sender.Backlog;
import dev.weir.notifications.sender.RecordedReceipts;
import dev.weir.notifications.sender.Sender;
import dev.weir.notifications.sender.SenderObserver;
import dev.weir.notifications.sender.SenderSettings;
import dev.weir.rules.spec.RuleName;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The sender of a node with its provider. It can be started later than the node, when the embedded
 * broker is first needed. Thread-safe.
 */
public final class SenderPart implements AutoCloseable {
  private final NotificationSettings settings;
  private final MessageLog messages;
  private final Limiter limiter;
  private final SenderObserver observer;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Running running;
  private boolean isClosed;

  /** What has been started. */
  private record Running(RecordedReceipts receipts, SmsProvider provider, Sender sender) {}

  /**
   * Creates a sender that is not started.
   *
   * @param limiter counts what the provider is handed
   */
  public SenderPart(
      NotificationSettings settings,
      MessageLog messages,
      Limiter limiter,
      SenderObserver observer) {
    this.settings = settings;
    this.messages = messages;
    this.limiter = limiter;
    this.observer = observer;
  }

  /** Starts the sender, unless it was started or closed before. */
  public void start(KafkaCluster cluster) {
    lock.lock();
    try {
      if (running == null && !isClosed) {
        RecordedReceipts receipts = new RecordedReceipts(messages);
        SmsProvider provider = settings.provider().open(receipts, InstantSource.system());
        running =
            new Running(
                receipts,
                provider,
                Sender.start(
                    cluster,
                    MessageTopics.DEFAULT,
                    provider,
                    messages,
                    senderSettings(),
                    InstantSource.system(),
                    observer));
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns true if the sender is started and cannot read from Kafka. */
  public boolean isKafkaDown() {
    lock.lock();
    try {
      return running != null && running.sender().isKafkaDown();
    } finally {
      lock.unlock();
    }
  }

  /** Returns what the sender has before it; nothing if it is not started. */
  public Backlog backlog() {
    return running().map(Sender::backlog).orElse(Backlog.NONE);
  }

  /** Returns how long the oldest message has waited; zero if none waits. */
  public Duration oldestAge() {
    return running().map(Sender::oldestAge).orElse(Duration.ZERO);
  }

  private Optional<Sender> running() {
    lock.lock();
    try {
      return Optional.ofNullable(running).map(Running::sender);
    } finally {
      lock.unlock();
    }
  }

  private SenderSettings senderSettings() {
    SenderSettings sender =
        SenderSettings.DEFAULT
            .withRetries(settings.retries())
            .withRepetition(settings.repetition());
    if (settings.rate().partsPerSecond().isEmpty()) {
      return sender;
    }
    TokenBucket bucket =
        TokenBucket.of(settings.rate().partsPerSecond().getAsInt(), Duration.ofSeconds(1));
    return sender.withRate(
        new SenderSettings.Rate(
            limiter, Policy.of(RuleName.RESERVED_PREFIX + "notification-provider", bucket)));
  }

  /** Stops the sender; it can be started again. */
  public void stop() {
    end(false);
  }

  @Override
  public void close() {
    end(true);
  }

  private void end(boolean isLast) {
    @Nullable Running known;
    lock.lock();
    try {
      isClosed |= isLast;
      known = running;
      running = null;
    } finally {
      lock.unlock();
    }
    if (known != null) {
      known.sender().close();
      known.provider().close();
      known.receipts().close();
    }
  }

  @Override
  public String toString() {
    return "the sender";
  }
}
