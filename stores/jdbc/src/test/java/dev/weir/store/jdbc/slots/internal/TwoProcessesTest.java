package dev.weir.store.jdbc.slots.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.limits.LastPermits;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two nodes as in production: processes that share nothing but the database. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class TwoProcessesTest {
  private static final int ROUNDS = 10;

  private record Node(Process process, Writer names, BufferedReader counts) {
    static Node start() throws IOException {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:TieredStopAtLevel=1",
                  "-XX:+UseSerialGC",
                  "-cp",
                  System.getProperty("java.class.path"),
                  LastPermits.class.getName(),
                  Database.get().url())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      return new Node(process, process.outputWriter(), process.inputReader());
    }

    void request(String name) throws IOException {
      names.write(name + "\n");
      names.flush();
    }

    int[] answer() throws IOException {
      return Arrays.stream(Objects.requireNonNull(counts.readLine()).split(" ", 2))
          .mapToInt(Integer::parseInt)
          .toArray();
    }
  }

  @Test
  void lastPermitAndLastPlaceHaveOneTakerEach() throws IOException {
    List<Node> nodes = new ArrayList<>();
    try {
      for (int i = 0; i < 2; i++) {
        nodes.add(Node.start());
      }
      for (int round = 0; round < ROUNDS; round++) {
        String name = UUID.randomUUID().toString();
        for (Node node : nodes) {
          node.request(name);
        }
        int permits = 0;
        int places = 0;
        for (Node node : nodes) {
          int[] counts = node.answer();
          permits += counts[0];
          places += counts[1];
        }
        assertThat(permits).isEqualTo(1);
        assertThat(places).isEqualTo(1);
      }
    } finally {
      nodes.forEach(node -> node.process().destroyForcibly());
    }
  }
}
