package dev.weir.node.stores.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PostgresqlClusterTest {
  /** More than an array holds. Nearly all of it is a hole, which takes no place on the disk. */
  private static final long LARGE = 3L << 30;

  @TempDir Path folder;

  @Test
  void theEndOfALogIsShownHoweverLargeItIs() throws IOException {
    String end =
        IntStream.rangeClosed(1, 20)
            .mapToObj(number -> "line " + number + "\n")
            .collect(Collectors.joining());
    try (RandomAccessFile log = new RandomAccessFile(log().toFile(), "rw")) {
      log.seek(LARGE);
      log.write(end.getBytes(StandardCharsets.UTF_8));
    }
    assertThat(new PostgresqlCluster(folder, "").lastLogLines())
        .isEqualTo("line 13 | line 14 | line 15 | line 16 | line 17 | line 18 | line 19 | line 20");
  }

  @Test
  void aLogThatIsNoTextIsShownAsFarAsItIs() throws IOException {
    Files.write(log(), new byte[] {'a', (byte) 0xFC, '\n'});
    assertThat(new PostgresqlCluster(folder, "").lastLogLines()).isEqualTo("a\uFFFD");
  }

  private Path log() throws IOException {
    Files.writeString(folder.resolve("current_logfiles"), "stderr log/postgresql-Mon.log\n");
    return Files.createDirectories(folder.resolve("log")).resolve("postgresql-Mon.log");
  }
}
