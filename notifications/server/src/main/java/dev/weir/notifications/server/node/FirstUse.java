package dev.weir.notifications.server.node;

import dev.weir.notifications.kafka.KafkaCluster;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A cluster that runs an action when it is first used. */
final class FirstUse implements KafkaCluster {
  private static final Logger log = LoggerFactory.getLogger(FirstUse.class);

  private final KafkaCluster cluster;
  private final CompletableFuture<Boolean> use = new CompletableFuture<>();

  FirstUse(KafkaCluster cluster) {
    this.cluster = cluster;
  }

  /** Runs an action with the first use; immediately if that was before. */
  void then(Runnable action) {
    var unused =
        use.thenRun(action)
            .whenComplete(
                (nothing, failure) -> {
                  if (failure != null) {
                    log.error("Messages are not read from {}", cluster, failure);
                  }
                });
  }

  @Override
  public Optional<String> bootstrapServers(Duration maxWait) {
    use.complete(true);
    return cluster.bootstrapServers(maxWait);
  }

  @Override
  public boolean isStarting() {
    return cluster.isStarting();
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
