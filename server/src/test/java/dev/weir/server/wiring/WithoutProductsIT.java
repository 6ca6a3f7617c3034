package dev.weir.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.faults.NodeProcess;
import dev.weir.server.faults.Program;
import dev.weir.server.http.Http;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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

  /** The words that start the program without the jars that are missing. */
  private List<String> program = List.of();

  @Test
  void assignsSlotsWithoutNotifications() throws IOException {
    try (NodeProcess node = start("notifications")) {
      Http http = new Http(node.address());
      http.post("/api/v1/slots", EVENT).ok();
      assertThat(http.get("/api/config").status()).isEqualTo(404);
      assertThat(http.get("/metrics").text()).doesNotContain("rate_limiter_message_");
      assertPages(http, "payments", "notifications");
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
      assertPages(http, "notifications", "payments");
      assertThat(http.get("/health/ready").text()).isEqualTo("{\"status\":\"UP\"}");
    }
  }

  /** Of the pages of products, the dashboard lists and serves the one whose jar is there. */
  private static void assertPages(Http http, String present, String absent) {
    Http.Answer parts = http.get("/api/v1/dashboard/parts").ok();
    assertThat(parts.listAt("pages")).hasSize(1);
    assertThat(parts.textAt("pages.0.name")).isEqualTo(present);
    Http.Answer script = http.get("/ui/pages/" + present + ".js");
    assertThat(script.status()).isEqualTo(200);
    assertThat(script.header("content-type")).hasValue("text/javascript; charset=utf-8");
    assertThat(script.header("etag")).isPresent();
    assertThat(script.header("content-security-policy")).isPresent();
    assertThat(script.text()).contains("export function show(");
    assertThat(http.get("/ui/pages/" + absent + ".js").status()).isEqualTo(404);
  }

  @Test
  void importsFeedsOfEventsWithoutAnyProduct() throws Exception {
    try (NodeProcess node = start("notifications", "payments")) {
      assertThat(imported(node, "feed.csv", "eventId\n\"event, with a comma\"\nanother\n"))
          .startsWith("assigned  2");
      assertThat(
              imported(node, "feed.ndjson", "{\"eventId\":\"another\"}\n{\"eventId\":\"third\"}\n"))
          .startsWith("assigned  1");
    }
  }

  /** Runs the import in a process that has the same jars as the nodes, and returns its summary. */
  private String imported(NodeProcess node, String name, String feed)
      throws IOException, InterruptedException {
    Path file = Files.writeString(folder.resolve(name), feed);
    Path summary = folder.resolve(name + ".summary");
    Path errors = folder.resolve(name + ".errors");
    List<String> words = new ArrayList<>(program);
    words.addAll(List.of("slots", "import", file.toString(), "--url", node.address().toString()));
    int code =
        new ProcessBuilder(words)
            .redirectOutput(summary.toFile())
            .redirectError(errors.toFile())
            .start()
            .waitFor();
    assertThat(code).as(() -> text(errors)).isZero();
    return text(summary);
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts a node, with its PostgreSQL, that has nothing of some products. */
  private NodeProcess start(String... products) throws IOException {
    program = without(products);
    return NodeProcess.start(
            folder.resolve("log"),
            // Only a database that is gone takes so long, on however busy a machine.
            Map.of("WEIR_DB_WAIT", "PT1M"),
            program,
            "--data",
            folder.resolve("data").toString())
        .awaitReady();
  }

  private List<String> without(String... products) throws IOException {
    Pattern parts =
        Pattern.compile(
            ".*[/\\\\](weir-(%1$s)[^/\\\\]*|(%1$s)[/\\\\](\\w+[/\\\\])?target[/\\\\]classes)"
                .formatted(String.join("|", products)));
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
