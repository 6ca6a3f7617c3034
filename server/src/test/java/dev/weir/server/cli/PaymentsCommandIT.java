package dev.weir.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.capability.Capabilities;
import dev.weir.node.cli.CommandRun;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.wiring.Node;
import dev.weir.payments.server.cli.PaymentsCommand;
import dev.weir.payments.server.cli.PaymentsRun;
import dev.weir.server.http.Http;
import dev.weir.server.payments.Feeds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands for payments, with everything that they start. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class PaymentsCommandIT {
  @TempDir private Path folder;

  private static CommandRun weir(String... arguments) {
    return CommandRun.of(new PaymentsCommand(), arguments);
  }

  @Test
  void oneCommandPaysAFeedAndASecondOneFindsItPaid() throws IOException {
    Path data = folder.resolve("data");
    Path feed =
        Files.writeString(
            folder.resolve("feed.csv"),
            Feeds.HEADER + Feeds.lines("p", 20, "") + Feeds.line("zero", "0", ""));
    Path svg = folder.resolve("report.svg");
    Path report = folder.resolve("report.md");
    CommandRun first =
        weir(
            "run",
            feed.toString(),
            "--data",
            data.toString(),
            "--svg",
            svg.toString(),
            "--markdown",
            report.toString());
    assertThat(first.code()).as(first.err()).isEqualTo(1);
    assertThat(first.out().lines())
        .contains(
            "feed       " + PaymentsRun.idOf(feed),
            "state      DONE",
            "read       21",
            "rejected   1",
            "paid       20",
            "see        " + feed + ".rejects.ndjson");
    assertThat(Path.of(feed + ".rejects.ndjson")).content().startsWith("{\"line\":22,");
    assertThat(svg).content().startsWith("<svg ");
    assertThat(report).content().contains("| payments made | 20 |");

    CommandRun second = weir("run", feed.toString(), "--data", data.toString());
    assertThat(second.out().lines()).contains("state      DONE", "paid       20");
    Feeds.assertBookedOnce(data, 50, List.of("p1", "p20"));
  }

  @Test
  void aServerPaysAFeedAndShowsIt() throws IOException {
    try (Node node =
        Node.start(
            Capabilities.read(
                Map.of(
                    ServerSetting.PORT, "0",
                    StoreSetting.DATA, folder.resolve("data").toString(),
                    StoreSetting.DB_WAIT, "PT2M",
                    ServerSetting.DRAIN, "PT0S"),
                Map.of(),
                Optional.empty()))) {
      String url = node.address().toString();
      assertThat(weir("status", "--url", url).out()).startsWith("There are no feeds.");
      Path feed =
          Files.writeString(folder.resolve("a.csv"), Feeds.HEADER + Feeds.lines("p", 3, ""));
      CommandRun run = weir("run", feed.toString(), "--url", url, "--feed-id", "a b");
      assertThat(run.code()).as(run.err()).isZero();
      assertThat(run.out().lines()).contains("feed       a b", "paid       3");

      assertThat(weir("status", "--url", url).out())
          .startsWith("DONE       a b  (3 read, 0 rejected, 3 assigned, 3 started, 3 paid)");
      assertThat(weir("status", "a b", "--url", url).out().lines()).contains("state      DONE");
      CommandRun unknown = weir("status", "unknown", "--url", url);
      assertThat(unknown.code()).isEqualTo(1);
      assertThat(unknown.err()).contains("There is no feed \"unknown\"");

      CommandRun report = weir("report", "--feed", "a b", "--url", url);
      assertThat(report.code()).isZero();
      assertThat(report.out()).contains("## Feed a b").contains("| payments made | 3 |");

      Http http = new Http(node.address());
      String later = Feeds.HEADER + Feeds.line("q", "10.00", "2099-06-01T12:00:00Z");
      assertThat(Feeds.send(http, "?feedId=c", later.getBytes(StandardCharsets.UTF_8)).status())
          .isEqualTo(202);
      Path again =
          Files.writeString(folder.resolve("again.csv"), later + Feeds.line("p1", "10.00", ""));
      CommandRun scheduled = weir("run", again.toString(), "--url", url);
      assertThat(scheduled.out().lines()).contains("repeated   2", "not paid   q is SCHEDULED");
      assertThat(scheduled.code()).isEqualTo(1);
      Path paid =
          Files.writeString(
              folder.resolve("paid.csv"), Feeds.HEADER + Feeds.line("p1", "10.00", ""));
      assertThat(weir("run", paid.toString(), "--url", url).code()).isZero();

      assertThat(weir("hold", "a b", "--url", url).out()).startsWith("Held");
      assertThat(weir("resume", "a b", "--url", url).out()).startsWith("Resumed");
      assertThat(weir("cancel", "a b", "--url", url).out()).startsWith("0 payments cancelled");
      assertThat(weir("retry", "--all", "--force", "--url", url).out())
          .startsWith("0 payments tried again");
      assertThat(weir("hold", "unknown", "--url", url).code()).isEqualTo(1);
      assertThat(weir("hold", "--url", url).code()).isEqualTo(2);

      String unended = Feeds.HEADER + Feeds.lines("r", 2, "").stripTrailing();
      Path cut = Files.writeString(folder.resolve("cut.csv"), unended);
      CommandRun rejected = weir("run", cut.toString(), "--url", url);
      assertThat(rejected.code()).isEqualTo(1);
      assertThat(rejected.out().lines()).contains("rejected   1", "paid       1");
      CommandRun fewer =
          weir("run", cut.toString(), "--url", url, "--feed-id", "n", "--records", "3");
      assertThat(fewer.code()).isEqualTo(1);
      assertThat(fewer.err()).contains("it has 2 records and was announced with 3");
      CommandRun otherSum =
          weir(
              "run", feed.toString(), "--url", url, "--feed-id", "n", "--control-sum", "EUR:30.01");
      assertThat(otherSum.err()).contains("add up to 30.00 and were announced with 30.01");
      CommandRun counted =
          weir("run", cut.toString(), "--url", url, "--feed-id", "n", "--records", "2");
      assertThat(counted.code()).as(counted.err()).isZero();
      assertThat(weir("run", cut.toString(), "--control-sum", "30").code()).isEqualTo(2);

      Path broken = Files.writeString(folder.resolve("b.csv"), "paymentId,sum\n1,2\n");
      CommandRun refused = weir("run", broken.toString(), "--url", url);
      assertThat(refused.code()).isEqualTo(1);
      assertThat(refused.err()).contains("unknown columns: sum");
    }
  }

  @Test
  void aServerThatCannotBeReachedIsNamed() throws IOException {
    Path feed = Files.writeString(folder.resolve("a.csv"), Feeds.HEADER);
    CommandRun run = weir("run", feed.toString(), "--url", "http://127.0.0.1:1");
    assertThat(run.code()).isEqualTo(3);
    assertThat(run.err()).contains("cannot reach http://127.0.0.1:1").contains("run it again");
  }
}
