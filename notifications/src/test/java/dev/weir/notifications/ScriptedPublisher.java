package dev.weir.notifications;

import dev.weir.notifications.kafka.KafkaUnavailableException;
import dev.weir.notifications.messages.Message;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/** A broker that behaves as a test wants, and keeps what it has taken. */
final class ScriptedPublisher implements Publisher {
  /** What the broker does with a message. */
  enum Behaviour {
    TAKES,
    REFUSES,
    /** Rejects messages; not those that it has taken before, which cannot be wrong. */
    REJECTS,
    /** Rejects messages whose text ends with an odd digit, and takes others. */
    REJECTS_ODD,
    /** Takes the message, but the answer is lost. */
    TAKES_SILENTLY,
    /** The message is lost on its way. */
    LOSES,
    /** The node crashes before the message is on its way. */
    CRASHES
  }

  /** What a caller gets where its node would be gone. */
  private static final class Crash extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private final List<Message> topic = new ArrayList<>();
  private Behaviour behaviour = Behaviour.TAKES;

  synchronized void behave(Behaviour next) {
    behaviour = next;
  }

  synchronized List<Message> topic() {
    return List.copyOf(topic);
  }

  /** Returns the different messages on the topic. */
  synchronized Set<UUID> ids() {
    Set<UUID> ids = new HashSet<>();
    topic.forEach(message -> ids.add(message.id()));
    return ids;
  }

  @Override
  public synchronized List<CompletableFuture<PublishResult>> begin(List<Message> messages) {
    return messages.stream()
        .map(
            message ->
                behaviour == Behaviour.CRASHES
                    ? CompletableFuture.<PublishResult>failedFuture(new Crash())
                    : CompletableFuture.completedFuture(publish(message)))
        .toList();
  }

  /**
   * Runs a step of a node.
   *
   * @return empty if the node has crashed
   */
  static <T> Optional<T> unlessCrashed(Supplier<T> step) {
    try {
      return Optional.of(step.get());
    } catch (CompletionException e) {
      if (e.getCause() instanceof Crash) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private PublishResult publish(Message message) {
    return switch (behaviour) {
      case TAKES -> take(message);
      case REFUSES -> new PublishResult.Refused("refused");
      case REJECTS ->
          ids().contains(message.id()) ? take(message) : new PublishResult.Rejected("too large");
      case REJECTS_ODD ->
          message.text().matches(".*[13579]") ? new PublishResult.Rejected("odd") : take(message);
      case TAKES_SILENTLY -> {
        topic.add(message);
        yield new PublishResult.Unknown("no answer");
      }
      case LOSES -> new PublishResult.Unknown("no answer");
      case CRASHES -> throw new AssertionError("a node that crashes publishes nothing");
    };
  }

  private PublishResult take(Message message) {
    topic.add(message);
    return PublishResult.Done.DONE;
  }

  @Override
  public synchronized void probe() {
    if (behaviour != Behaviour.TAKES && behaviour != Behaviour.REJECTS_ODD) {
      throw new KafkaUnavailableException("down");
    }
  }

  @Override
  public void close() {}
}
