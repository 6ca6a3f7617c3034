package dev.weir.notifications.kafka;

/** Thrown if Kafka could not be reached, and nothing was sent to it. */
public final class KafkaUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public KafkaUnavailableException(String message) {
    super(message);
  }

  public KafkaUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
