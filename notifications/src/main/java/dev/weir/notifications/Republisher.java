package dev.weir.notifications;

import dev.weir.notifications.kafka.KafkaUnavailableException;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.SendLedger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes what stays in the outbox: messages of nodes that crashed, and messages whose publishing
 * ended with an unknown outcome. Any number of nodes may do so at a time. A message that no broker
 * takes, because of the message itself, has failed.
 *
 * <p>It is also what tries a broker that failed, and tells {@link BrokerHealth} when the broker
 * takes messages again. So it has to run periodically, on its own thread.
 */
public final class Republisher implements Runnable {
  /** How often it should run. */
  public static final Duration EVERY = Duration.ofSeconds(1);

  private static final Logger log = LoggerFactory.getLogger(Republisher.class);
  private static final int MAX_BATCH = 200;

  /**
   * Added to the send time-out: a message of this age is not on its way any more, unless its node
   * was suspended. Then it is published twice, and the sender drops the second copy.
   */
  private static final Duration MARGIN = Duration.ofSeconds(5);

  private final SendLedger ledger;
  private final Publisher publisher;
  private final BrokerHealth health;
  private final Duration minAge;
  private final Duration claim;
  private final SendObserver observer;
  private final AtomicBoolean isProbing = new AtomicBoolean();

  /**
   * Creates a republisher.
   *
   * @param sendTimeout the time after which the publisher knows what became of a message
   */
  public Republisher(
      SendLedger ledger, Publisher publisher, BrokerHealth health, Duration sendTimeout) {
    this(ledger, publisher, health, sendTimeout, SendObserver.NONE);
  }

  /** Creates a republisher with an observer. */
  public Republisher(
      SendLedger ledger,
      Publisher publisher,
      BrokerHealth health,
      Duration sendTimeout,
      SendObserver observer) {
    this.ledger = ledger;
    this.publisher = publisher;
    this.health = health;
    this.minAge = sendTimeout.plus(MARGIN);
    this.claim = sendTimeout.multipliedBy(2).plus(MARGIN);
    this.observer = observer;
  }

  /**
   * Makes the next run try the broker even if no failure is known, so that a broker that is missing
   * is known before the first message.
   */
  public void probeFirst() {
    isProbing.set(true);
  }

  /**
   * Publishes the messages that have been in the outbox for long.
   *
   * @throws dev.weir.StoreException if the database fails
   */
  @Override
  public void run() {
    if ((isProbing.getAndSet(false) || health.isDown()) && !answers()) {
      return;
    }
    // While the broker may still be down, one message is enough to find out.
    int max = health.isDown() ? 1 : MAX_BATCH;
    List<SendLedger.Claimed> claimed = ledger.claimUnpublished(minAge, claim, max);
    while (!claimed.isEmpty() && publish(claimed)) {
      health.recovered();
      claimed = ledger.claimUnpublished(minAge, claim, MAX_BATCH);
    }
    if (claimed.isEmpty()) {
      health.recovered();
    }
  }

  private boolean answers() {
    try {
      publisher.probe();
      return true;
    } catch (KafkaUnavailableException e) {
      log.debug("Kafka does not answer: {}", e.getMessage());
      health.failed(String.valueOf(e.getMessage()));
      return false;
    }
  }

  /** Returns true if the broker answered for each message. */
  private boolean publish(List<SendLedger.Claimed> claimed) {
    List<Message> messages = claimed.stream().map(SendLedger.Claimed::message).toList();
    List<PublishResult> results = publisher.publish(messages);
    List<UUID> published = new ArrayList<>();
    List<SendLedger.Unpublishable> unpublishable = new ArrayList<>();
    boolean hasAnswered = true;
    for (int i = 0; i < results.size(); i++) {
      PublishResult result = results.get(i);
      health.failedBy(result);
      switch (result) {
        case PublishResult.Done done -> {
          published.add(messages.get(i).id());
          observer.publishedLater(messages.get(i), claimed.get(i).cost());
        }
        case PublishResult.Rejected rejected -> {
          UUID id = messages.get(i).id();
          log.error("Message {} has failed, it can never be published: {}", id, rejected.reason());
          unpublishable.add(new SendLedger.Unpublishable(id, rejected.reason()));
          observer.failed(messages.get(i));
        }
        case PublishResult.Refused refused -> hasAnswered = false;
        case PublishResult.Unknown unknown -> hasAnswered = false;
      }
    }
    if (!published.isEmpty()) {
      ledger.published(published);
    }
    // Entries of hot counts that know no better are confirmed soon.
    var unused = ledger.fail(unpublishable);
    return hasAnswered;
  }
}
