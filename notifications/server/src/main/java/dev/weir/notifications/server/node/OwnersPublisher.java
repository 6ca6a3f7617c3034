package dev.weir.notifications.server.node;

import dev.weir.PartOwnership;
import dev.weir.StoreException;
import dev.weir.notifications.PublishResult;
import dev.weir.notifications.Publisher;
import dev.weir.notifications.kafka.KafkaUnavailableException;
import dev.weir.notifications.messages.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes to the embedded broker of this node, while no other node of the database has its own:
 * what is in the broker of a node is read by that node only, and waits while it is away. The first
 * use makes this node the owner, unless another one is. {@link #check} has to run from time to
 * time. Thread-safe.
 */
final class OwnersPublisher implements Publisher {
  private static final Logger log = LoggerFactory.getLogger(OwnersPublisher.class);

  private final Publisher publisher;
  private final PartOwnership ownership;
  private volatile boolean isOwner;

  /** Where the owner runs if that is another node; empty if none is known. */
  private volatile String otherNode = "";

  /**
   * @param publisher to the broker of this node; closed with this one
   * @param ownership closed with this one
   */
  OwnersPublisher(Publisher publisher, PartOwnership ownership) {
    this.publisher = publisher;
    this.ownership = ownership;
  }

  @Override
  public List<CompletableFuture<PublishResult>> begin(List<Message> messages) {
    if (isOwner) {
      return publisher.begin(messages);
    }
    List<CompletableFuture<PublishResult>> results = new ArrayList<>(messages.size());
    messages.forEach(any -> results.add(new CompletableFuture<>()));
    // The database may take its time, and callers must not.
    Thread.ofVirtual().name("weir-kafka-owner").start(() -> begin(messages, results));
    return results;
  }

  private void begin(List<Message> messages, List<CompletableFuture<PublishResult>> results) {
    try {
      own();
      List<CompletableFuture<PublishResult>> begun = publisher.begin(messages);
      for (int i = 0; i < begun.size(); i++) {
        CompletableFuture<PublishResult> result = results.get(i);
        var unused = begun.get(i).thenAccept(result::complete);
      }
    } catch (KafkaUnavailableException e) {
      PublishResult refused = new PublishResult.Refused(String.valueOf(e.getMessage()));
      results.forEach(result -> result.complete(refused));
    } catch (RuntimeException | Error e) {
      PublishResult unknown = new PublishResult.Unknown("the publisher broke off");
      results.forEach(result -> result.complete(unknown));
      throw e;
    }
  }

  @Override
  public void prepare() {
    if (isOwner) {
      publisher.prepare();
      return;
    }
    Thread.ofVirtual()
        .name("weir-kafka-owner")
        .start(
            () -> {
              try {
                own();
                publisher.prepare();
              } catch (KafkaUnavailableException e) {
                log.debug("Kafka is not prepared: {}", e.getMessage());
              }
            });
  }

  @Override
  public boolean isStarting() {
    return publisher.isStarting();
  }

  @Override
  public void probe() {
    own();
    publisher.probe();
  }

  /**
   * Becomes the owner.
   *
   * @throws KafkaUnavailableException if another node is, or the database does not answer
   */
  private void own() {
    if (isOwner) {
      return;
    }
    try {
      acquire();
    } catch (StoreException e) {
      throw new KafkaUnavailableException(
          "whose embedded Kafka is in use is not known: " + e.getMessage(), e);
    }
    if (!isOwner) {
      throw new KafkaUnavailableException(text(otherNode));
    }
  }

  private synchronized void acquire() {
    boolean wasOwner = isOwner;
    if (ownership.acquire()) {
      otherNode = "";
      isOwner = true;
      return;
    }
    otherNode = ownership.owner();
    isOwner = false;
    if (wasOwner) {
      log.warn("Messages are not published by this node any more: {}", text(otherNode));
    }
  }

  /**
   * Notices that this node has lost the ownership with its connection to the database.
   *
   * @throws StoreException if the database does not answer
   */
  void check() {
    if (isOwner) {
      acquire();
    }
  }

  /** Returns what operators should know; empty if this node takes messages, or has had none. */
  List<String> warnings() {
    String owner = otherNode;
    return owner.isEmpty() ? List.of() : List.of("this node takes no messages: " + text(owner));
  }

  private static String text(String owner) {
    return owner
        + " has the embedded Kafka of this database; for several nodes set"
        + " weir.kafka.bootstrap-servers";
  }

  @Override
  public void close() {
    try {
      publisher.close();
    } finally {
      ownership.close();
    }
  }

  @Override
  public String toString() {
    return "the publisher of messages";
  }
}
