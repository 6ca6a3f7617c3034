package dev.weir.workflows.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

final class EmbeddedTemporalTest {
  /** The state of a socket that listens, as the kernel writes it. */
  private static final String LISTENS = "0A";

  /** Returns the sockets of this process that listen, by their inodes. */
  private static Set<String> listeners() throws IOException {
    Set<String> own = new HashSet<>();
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
      for (Path file : files.toList()) {
        try {
          own.add(Files.readSymbolicLink(file).toString());
        } catch (NoSuchFileException e) {
          // Closed meanwhile.
        }
      }
    }
    Set<String> listening = new HashSet<>();
    for (String table : List.of("/proc/self/net/tcp", "/proc/self/net/tcp6")) {
      for (String line : Files.readAllLines(Path.of(table))) {
        String[] columns = line.strip().split("\\s+", -1);
        if (columns.length > 9
            && columns[3].equals(LISTENS)
            && own.contains("socket:[" + columns[9] + "]")) {
          listening.add(columns[9] + " at " + columns[1]);
        }
      }
    }
    return listening;
  }

  /** A caller who could connect could make and read payments. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void listensNowhere() throws IOException {
    Set<String> before = listeners();
    try (EmbeddedTemporal temporal = EmbeddedTemporal.start()) {
      assertThat(temporal.connection().problem(Duration.ofMinutes(5))).isEmpty();
      assertThat(listeners()).isEqualTo(before);
    }
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThat(listeners()).as("a listener is seen: " + socket).isNotEqualTo(before);
    }
  }
}
