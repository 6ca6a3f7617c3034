package dev.weir.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.faults.NodeProcess;
import dev.weir.server.faults.Program;
import dev.weir.server.http.Http;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The program with jars missing. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class WithoutProductsIT {
  private static final String EVENT =
      "{\"eventId\":\"e\",\"requestedTime\":\"2026-06-01T12:00:00Z\"}";

  @TempDir private Path folder;

  @Test
  void assignsSlotsWithoutNotifications() throws IOException {
    try (NodeProcess node = start("notifications")) {
      Http http = new Http(node.address());
      http.post("/api/v1/slots", EVENT).ok();
      assertThat(http.get("/api/config").status()).isEqualTo(404);
      assertThat(http.get("/metrics").text()).doesNotContain("rate_limiter_message_");
      assertThat(http.get("/health/ready").text()).isEqualTo("{\"status\":\"UP\"}");
    }
  }

  @Test
  void assignsSlotsWithoutPayments() throws IOException {
    try (NodeProcess node = start("payments")) {
      Http http = new Http(node.address());
      http.post("/api/v1/slots", EVENT).ok();
      assertThat(http.get("/api/v1/payments/feeds").status()).isEqualTo(404);
      assertThat(http.get("/metrics").text()).doesNotContain("rate_limiter_payment_");
      assertThat(http.get("/health/ready").text()).isEqualTo("{\"status\":\"UP\"}");
    }
  }

  /** Starts a node, with its PostgreSQL, that has nothing of a product. */
  private NodeProcess start(String product) throws IOException {
    return NodeProcess.start(
            folder.resolve("log"),
            // Only a database that is gone takes so long, on however busy a machine.
            Map.of("WEIR_DB_WAIT", "PT1M"),
            without(product),
            "--data",
            folder.resolve("data").toString())
        .awaitReady();
  }

  private List<String> without(String product) throws IOException {
    Pattern parts =
        Pattern.compile(
            ".*[/\\\\](weir-%1$s[^/\\\\]*|%1$s[/\\\\](server[/\\\\])?target[/\\\\]classes)"
                .formatted(product));
    Path code = Program.code();
    if (Files.isDirectory(code)) {
      String path =
          Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
              .filter(entry -> !parts.matcher(entry).matches())
              .collect(Collectors.joining(File.pathSeparator));
      return Program.ofClassPath(path, NodeProcess.MEMORY);
    }
    Path jar = Files.copy(code, folder.resolve("weir.jar"));
    Path libraries = Files.createDirectory(folder.resolve("lib"));
    try (Stream<Path> all = Files.list(code.resolveSibling("lib"))) {
      for (Path each : all.filter(file -> !parts.matcher(file.toString()).matches()).toList()) {
        Files.createSymbolicLink(libraries.resolve(each.getFileName()), each.toAbsolutePath());
      }
    }
    return Program.ofClassPath(jar.toString(), NodeProcess.MEMORY);
  }
}
