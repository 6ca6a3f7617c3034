package dev.weir.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.Http;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes on one database, each with a folder for an embedded Kafka of its own. */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
final class KafkaOnTwoNodesIT {
  private static final Duration BOUND = Duration.ofMinutes(3);
  private static final String PASSIVE = "this node takes no messages: process ";

  @TempDir private Path folder;

  /** A node and how to talk to it. */
  private record Peer(NodeProcess process, Http http) {
    boolean isPassive() {
      return http.get("/health/ready").text().contains(PASSIVE);
    }

    Http.Answer send(String text) {
      return http.post("/api/send", "{\"userId\":1,\"message\":\"" + text + "\"}");
    }

    void awaitPassive() {
      Waiting.until("a node that names the owner", BOUND, this::isPassive);
    }

    String awaitTaken(String text) {
      Waiting.until("Kafka to take it", BOUND, () -> send(text).status() == 200);
      return send(text).ok().textAt("messageId");
    }

    void awaitSent(String messageId) {
      Waiting.until(
          "the provider to have it",
          BOUND,
          () -> http.get("/api/messages/" + messageId).ok().textAt("state").equals("sent"));
    }
  }

  private Peer start(String name, Map<String, String> environment) throws IOException {
    Map<String, String> settings = new HashMap<>(environment);
    // Longer than a broker takes to start, even on a busy machine.
    settings.put("WEIR_NOTIFICATIONS_SEND_TIMEOUT", "PT2M");
    NodeProcess process =
        NodeProcess.start(
            folder.resolve(name + ".log"), settings, "--data", folder.resolve(name).toString());
    return new Peer(process, new Http(process.awaitReady().address()));
  }

  @Test
  void onlyOneOfThemTakesMessagesUntilItIsKilled() throws Exception {
    try (Database database = Database.start(folder.resolve("database"))) {
      Peer one = start("one", database.environment());
      try (NodeProcess first = one.process()) {
        one.http().post("/api/config", "{\"userId\":1,\"rateLimit\":100000,\"timeWindow\":5}").ok();
        one.awaitSent(one.awaitTaken("one"));
        Peer two = start("two", database.environment());
        try (NodeProcess second = two.process()) {
          assertThat(two.send("two").problem(503, "kafka-unavailable").textAt("outcome"))
              .isEqualTo("none");
          two.awaitPassive();
          assertThat(one.isPassive()).isFalse();
          assertThat(folder.resolve("two").resolve("kafka")).doesNotExist();

          String last = one.send("last").ok().textAt("messageId");
          first.kill();
          two.awaitSent(two.awaitTaken("two"));
          assertThat(two.isPassive()).isFalse();

          // It sends what is in its broker, and takes nothing.
          first.restart();
          Peer again = new Peer(first, new Http(first.awaitReady().address()));
          two.awaitSent(last);
          again.send("again").problem(503, "kafka-unavailable");
          again.awaitPassive();
          second.kill();
          again.awaitSent(again.awaitTaken("again"));
        }
      }
    }
  }
}
