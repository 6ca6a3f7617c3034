package dev.weir.payments.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.cli.CommandRun;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class DownstreamCommandTest {
  private static final Pattern GREETING = Pattern.compile("is up: (http://\\S+)");

  @TempDir Path folder;

  @Test
  void servesUntilItIsStoppedAndRecordsEveryCall() throws Exception {
    Path calls = folder.resolve("calls.ndjson");
    CompletableFuture<URI> address = new CompletableFuture<>();
    Thread command =
        Thread.ofVirtual()
            .start(
                () ->
                    new CommandLine(new DownstreamCommand())
                        .setOut(new PrintWriter(new Greeting(address)))
                        .setErr(new PrintWriter(new StringWriter()))
                        .execute("--port=0", "--ceiling=1", "--calls=" + calls));
    try (HttpClient client = HttpClient.newHttpClient()) {
      URI base = address.get(4, TimeUnit.MINUTES);
      assertThat(pay(client, base)).isEqualTo(201);
      assertThat(
              client
                  .send(
                      HttpRequest.newBuilder(base.resolve("/summary")).build(),
                      HttpResponse.BodyHandlers.ofString())
                  .body())
          .contains("\"ceiling\":1,\"maxInSecond\":1,\"ceilingHeld\":true,\"booked\":1");
    } finally {
      command.interrupt();
      command.join();
    }
    assertThat(Files.readString(calls)).contains("\"paymentId\":\"a\"").contains("\"PAID\"");
    assertThat(CommandRun.of(new PaymentsCommand(), "report", calls.toString()).code()).isZero();
  }

  @Test
  void refusesSettingsThatMakeNoSense() {
    refused("ceiling must be at least 1, not 0", "--ceiling=0");
    refused("failed must be between 0 and 1", "--error-percent=101");
    refused("--port must be between 0 and 65535", "--port=70000");
    refused("latency must be between", "--latency-millis=-1");
  }

  @Test
  void saysThatAPortIsTaken() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      refused("Address already in use", "--port=" + taken.getLocalPort());
    }
  }

  @Test
  void explainsItself() {
    CommandRun help = CommandRun.of(new DownstreamCommand(), "--help");
    assertThat(help.code()).isZero();
    assertThat(help.out()).contains("--ceiling").contains("(default: 50)").contains("Exit codes:");
  }

  private static int pay(HttpClient client, URI base) throws Exception {
    return client
        .send(
            HttpRequest.newBuilder(base.resolve("/payments"))
                .header("Idempotency-Key", "a")
                .POST(HttpRequest.BodyPublishers.ofString("{\"paymentId\":\"a\"}"))
                .build(),
            HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  private static void refused(String message, String... arguments) {
    CommandRun run = CommandRun.of(new DownstreamCommand(), arguments);
    assertThat(run.err()).contains(message);
    assertThat(run.code()).isEqualTo(2);
  }

  /** Output that is read as soon as it is written. */
  private static final class Greeting extends StringWriter {
    private final CompletableFuture<URI> address;

    Greeting(CompletableFuture<URI> address) {
      this.address = address;
    }

    @Override
    public void flush() {
      Matcher greeting = GREETING.matcher(toString());
      if (greeting.find()) {
        address.complete(URI.create(greeting.group(1)));
      }
    }
  }
}
