package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.server.faults.NodeProcess;
import dev.weir.server.faults.Program;
import dev.weir.testing.TestServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Starts the server of the test kit for users, as {@code docs/testing.md} shows it. */
class TestServerIT {
  private static final String RULE =
      "{\"name\": \"api\", \"allowedRequests\": 1, \"windowSeconds\": 60}";
  private static final String CHECK = "{\"rule\": \"api\", \"key\": \"anna\"}";

  private final HttpClient http = HttpClient.newHttpClient();

  /** The program as a jar, if this is run by one; the same classes without one otherwise. */
  private static TestServer.Builder server() throws Exception {
    Path code = Path.of(Main.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    return Files.isDirectory(code)
        ? TestServer.builder().command(Program.command(NodeProcess.MEMORY))
        : TestServer.builder().jar(code);
  }

  @Test
  void aServerInALineDecidesByRulesUntilItIsClosed() throws Exception {
    URI address;
    try (TestServer weir = server().start()) {
      address = weir.address();
      assertThat(address.getHost()).isEqualTo("127.0.0.1");
      assertThat(post(address.resolve("/api/admin/rules"), RULE)).isEqualTo(201);
      assertThat(post(address.resolve("/api/v1/check"), CHECK)).isEqualTo(200);
      assertThat(post(address.resolve("/api/v1/check"), CHECK)).isEqualTo(429);
    }
    assertThatThrownBy(() -> post(address.resolve("/api/v1/check"), CHECK))
        .isInstanceOf(IOException.class);
  }

  private int post(URI uri, String body) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body))
            .build();
    return http.send(request, BodyHandlers.discarding()).statusCode();
  }

  /** Two servers share nothing. */
  @Test
  void eachServerHasItsOwnPortAndRules() throws Exception {
    try (TestServer one = server().start();
        TestServer other = server().start()) {
      assertThat(one.address()).isNotEqualTo(other.address());
      assertThat(post(one.address().resolve("/api/admin/rules"), RULE)).isEqualTo(201);
      assertThat(post(other.address().resolve("/api/v1/check"), CHECK)).isEqualTo(404);
    }
  }

  @Test
  void thePageNamesWhatTheTestsUse() throws IOException {
    String page = Prose.read("docs/testing.md").text();
    for (String used : List.of("TestServer.start()", "weir.address()", TestServer.JAR_PROPERTY)) {
      assertThat(page).contains(used);
    }
  }
}
