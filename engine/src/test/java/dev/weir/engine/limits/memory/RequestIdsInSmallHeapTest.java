package dev.weir.engine.limits.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A caller that sends more request ids than fit into the heap of a node. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RequestIdsInSmallHeapTest {
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
                    RequestIdsInSmallHeap.class.getName()))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      String remembered =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).isZero();
      // A quarter of the heap, at about 500 bytes each.
      assertThat(Integer.parseInt(remembered.strip())).isBetween(5_000, 30_000);
    } finally {
      process.destroyForcibly();
    }
  }
}
