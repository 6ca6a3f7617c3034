package dev.weir.payments.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.weir.client.WeirClient;
import dev.weir.node.cli.ServerOptions;
import dev.weir.payments.feed.internal.FeedFormat;
import dev.weir.payments.feed.internal.FeedTotals;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The search for payments that earlier feeds contain. */
final class FeedRunTest {
  private static final String PAYMENTS = "/api/v1/payments/";

  @TempDir private Path folder;
  private final List<String> asked = new CopyOnWriteArrayList<>();

  /** Asks a server whose payments with a 2 are of an earlier feed, with another state. */
  private Optional<String> unpaid(long repeated, String earlier) throws Exception {
    return unpaid(4, "\n", repeated, earlier);
  }

  private Optional<String> unpaid(int payments, String end, long repeated, String earlier)
      throws Exception {
    Path feed = folder.resolve("feed.csv");
    StringBuilder csv =
        new StringBuilder(
            "paymentId,amount,currency,debtorAccount,creditorAccount,requestedTime,reference\n");
    for (int i = 1; i <= payments; i++) {
      csv.append("p-%d,1,EUR,a,b,,".formatted(i)).append(i < payments ? "\n" : end);
    }
    Files.writeString(feed, csv);
    FeedTotals announced = new FeedTotals(OptionalLong.of(payments), Optional.empty());
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        PAYMENTS,
        exchange -> {
          String id = exchange.getRequestURI().getPath().substring(PAYMENTS.length());
          asked.add(id);
          boolean isEarlier = id.endsWith("2");
          byte[] answer =
              "{\"paymentId\":\"p\",\"feedId\":\"%s\",\"state\":\"%s\",\"attempts\":1}"
                  .formatted(isEarlier ? "may" : "june", isEarlier ? earlier : "PAID")
                  .getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().add("Content-Type", "application/json");
          exchange.sendResponseHeaders(200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    server.start();
    try (WeirClient client =
        ServerOptions.client(
            URI.create("http://127.0.0.1:" + server.getAddress().getPort()), Optional.empty())) {
      FeedRun run = new FeedRun(client, "june");
      Optional<String> unpaid = run.unpaid(feed, FeedFormat.CSV, announced, repeated);
      assertThat(run.text())
          .isEqualTo("looking for the payments that earlier feeds contain: record " + asked.size());
      return unpaid;
    } finally {
      server.stop(0);
    }
  }

  @Test
  void endsWithTheLastPaymentOfAnEarlierFeed() throws Exception {
    assertThat(unpaid(1, "PAID")).isEmpty();
    assertThat(asked).containsExactly("p-1", "p-2");
  }

  @Test
  void looksThroughTheFileForAllThatAreRepeated() throws Exception {
    assertThat(unpaid(2, "PAID")).isEmpty();
    assertThat(asked).containsExactly("p-1", "p-2", "p-3", "p-4");
  }

  @Test
  void findsAPaymentThatIsNotPaid() throws Exception {
    assertThat(unpaid(1, "FAILED")).contains("p-2 is FAILED");
  }

  /** It is a record because the feed was sent with the number of its records. */
  @Test
  void findsAPaymentThatIsNotPaidInALastLineWithoutALineEnd() throws Exception {
    assertThat(unpaid(2, "", 1, "FAILED")).contains("p-2 is FAILED");
  }
}
