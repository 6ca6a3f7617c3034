package dev.weir.engine.limits.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A caller that makes up more keys than fit into the heap of a node. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class KeysInSmallHeapTest {
  @Test
  void storeIsFullBeforeTheHeapIs() throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx32m",
                    "-XX:+UseSerialGC",
                    "-cp",
                    System.getProperty("java.class.path"),
                    KeysInSmallHeap.class.getName()))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      String counted = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).isZero();
      // Two thirds of a quarter of the heap, at 64 bytes each.
      assertThat(Integer.parseInt(counted.strip())).isBetween(60_000, 90_000);
    } finally {
      process.destroyForcibly();
    }
  }
}
