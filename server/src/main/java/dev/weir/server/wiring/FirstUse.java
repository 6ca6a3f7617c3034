package dev.weir.server.wiring;

import dev.weir.notifications.kafka.KafkaCluster;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** A cluster that runs an action when it is first used. */
final class FirstUse implements KafkaCluster {
  private final KafkaCluster cluster;
  private final Runnable action;
  private final AtomicBoolean isUsed = new AtomicBoolean();

  FirstUse(KafkaCluster cluster, Runnable action) {
    this.cluster = cluster;
    this.action = action;
  }

  @Override
  public Optional<String> bootstrapServers(Duration maxWait) {
    if (isUsed.compareAndSet(false, true)) {
      action.run();
    }
    return cluster.bootstrapServers(maxWait);
  }

  @Override
  public Map<String, String> clientProperties() {
    return cluster.clientProperties();
  }

  @Override
  public String toString() {
    return cluster.toString();
  }
}
