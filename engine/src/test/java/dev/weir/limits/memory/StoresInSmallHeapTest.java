package dev.weir.limits.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Callers that send more than fits into the heap of a node: the store is full before the heap. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class StoresInSmallHeapTest {
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

  /** Returns what a program writes, which is a number. */
  private static int countIn32Megabytes(Class<?> program) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx32m",
                    "-XX:+UseSerialGC",
                    "-cp",
                    System.getProperty("java.class.path"),
                    program.getName()))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      String counted = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).isZero();
      return Integer.parseInt(counted.strip());
    } finally {
      process.destroyForcibly();
    }
  }
}
