package dev.weir.notifications;

import dev.weir.engine.notifications.Message;
import dev.weir.notifications.kafka.KafkaUnavailableException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** A broker that behaves as a test wants, and keeps what it has taken. */
final class ScriptedPublisher implements Publisher {
  /** What the broker does with a message. */
  enum Behaviour {
    TAKES,
    REFUSES,
    REJECTS,
    /** Takes messages whose text is an even number, and rejects others. */
    TAKES_EVEN,
    /** Takes the message, but the answer is lost. */
    TAKES_SILENTLY,
    /** The message is lost on its way. */
    LOSES,
    /** The node crashes before the message is on its way. */
    CRASHES
  }

  /** Thrown where a node would be gone. */
  static final class Crash extends RuntimeException {
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
  public synchronized List<PublishResult> publish(List<Message> messages) {
    return messages.stream().map(this::publish).toList();
  }

  private PublishResult publish(Message message) {
    return switch (behaviour) {
      case TAKES -> {
        topic.add(message);
        yield PublishResult.Done.DONE;
      }
      case REFUSES -> new PublishResult.Refused("refused");
      case REJECTS -> new PublishResult.Rejected("too large");
      case TAKES_EVEN -> {
        if (Integer.parseInt(message.text()) % 2 != 0) {
          yield new PublishResult.Rejected("odd");
        }
        topic.add(message);
        yield PublishResult.Done.DONE;
      }
      case TAKES_SILENTLY -> {
        topic.add(message);
        yield new PublishResult.Unknown("no answer");
      }
      case LOSES -> new PublishResult.Unknown("no answer");
      case CRASHES -> throw new Crash();
    };
  }

  @Override
  public synchronized void probe() {
    if (behaviour != Behaviour.TAKES && behaviour != Behaviour.TAKES_EVEN) {
      throw new KafkaUnavailableException("down");
    }
  }

  @Override
  public void close() {}
}
