package dev.weir.limits.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the stores do with memory, each in a JVM of its own. */
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class MemoryUseTest {
  @Test
  void requestIdsLeaveRoomInTheHeap() throws IOException, InterruptedException {
    // A quarter of the heap, at about 500 bytes each.
    assertThat(countIn32Megabytes(RequestIdsInSmallHeap.class)).isBetween(5_000, 30_000);
  }

  @Test
  void keysLeaveRoomInTheHeap() throws IOException, InterruptedException {
    // Two thirds of a quarter of the heap, at 64 bytes each.
    assertThat(countIn32Megabytes(KeysInSmallHeap.class)).isBetween(60_000, 90_000);
  }

  @Test
  void yesOrNoMakesNoGarbage() throws IOException, InterruptedException {
    assertThat(number(GarbageOfAnswers.class)).isLessThan(GarbageOfAnswers.ANSWERS);
  }

  private static int countIn32Megabytes(Class<?> program) throws IOException, InterruptedException {
    return number(program, "-Xmx32m", "-XX:+UseSerialGC");
  }

  /** Returns what a program writes, which is a number. */
  private static int number(Class<?> program, String... options)
      throws IOException, InterruptedException {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(List.of(options));
    words.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
    Process process =
        new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try {
      String written = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).isZero();
      return Integer.parseInt(written.strip());
    } finally {
      process.destroyForcibly();
    }
  }
}
