package dev.weir.payments.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.client.Feed;
import dev.weir.node.cli.CommandRun;
import dev.weir.payments.simulator.calls.CallLog;
import dev.weir.payments.simulator.calls.CallResult;
import dev.weir.payments.simulator.calls.RecordedCall;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PaymentsCommandTest {
  @TempDir Path folder;

  @Test
  void makesAFeedAndSaysWhatIsInIt() throws IOException {
    Path feed = folder.resolve("feed.csv");
    CommandRun run =
        run("simulate", feed.toString(), "--payments", "1000", "--flawed-percent", "10");
    assertThat(run.err()).isEmpty();
    assertThat(run.code()).isZero();
    assertThat(run.out())
        .matches("(?s).*feed\\.csv: 8\\d\\d payments, \\d+ lines to reject, \\d lines? to skip\\R");
    assertThat(Files.readAllLines(feed)).hasSize(1_001);
  }

  @Test
  void compressesAFeedThatIsNamedSo() throws IOException {
    Path feed = folder.resolve("feed.ndjson.gz");
    CommandRun run =
        run(
            "simulate",
            feed.toString(),
            "--payments=10",
            "--start=2026-06-01T12:00:00Z",
            "--span-seconds=60");
    assertThat(run.code()).isZero();
    assertThat(Files.readAllBytes(feed)).startsWith(0x1F, 0x8B);
  }

  @Test
  void refusesAFeedThatItCannotMake() {
    Path feed = folder.resolve("feed.txt");
    refused("must end with .csv or .ndjson", "simulate", feed.toString(), "--payments", "1");
    assertThat(feed).doesNotExist();
    refused("Missing required option: '--payments=N'", "simulate", "feed.csv");
    refused("lines must be at least 0, not -1", "simulate", "feed.csv", "--payments", "-1");
    refused(
        "no such file or folder",
        "simulate",
        folder.resolve("x/feed.csv").toString(),
        "--payments",
        "1");
  }

  @Test
  void reportsWhetherTheCeilingHeld() throws IOException {
    Path calls = calls(50);
    Path svg = folder.resolve("report.svg");
    CommandRun held = run("report", calls.toString(), "--svg", svg.toString(), "--title", "Run 1");
    assertThat(held.code()).isZero();
    assertThat(held.out())
        .contains("## Run 1")
        .contains("**The ceiling of 50 calls a second held")
        .contains("| payments booked | 50 |");
    assertThat(svg).content().startsWith("<svg ").contains("ceiling 50");
    Path text = folder.resolve("report.md");
    CommandRun exceeded =
        run("report", calls.toString(), "--ceiling", "49", "--markdown", text.toString());
    assertThat(exceeded.code()).isEqualTo(1);
    assertThat(exceeded.out()).isEmpty();
    assertThat(text).content().contains("was exceeded").contains("had 50 calls");
  }

  @Test
  void refusesAReportThatItCannotWrite() throws IOException {
    refused("name either files of CALLS or a --feed", "report");
    refused("name either files of CALLS or a --feed", "report", "calls", "--feed", "f");
    refused("no such file or folder", "report", folder.resolve("none").toString());
    String calls = calls(1).toString();
    refused("--ceiling must be at least 1, not 0", "report", calls, "--ceiling", "0");
    refused("once for each file", "report", calls, "--title", "a", "--title", "b");
    Path feed = Files.writeString(folder.resolve("feed.csv"), "paymentId\n1\n");
    refused("feed.csv, line 1: not a recorded call", "report", feed.toString());
  }

  @Test
  void refusesAFeedThatItCannotRun() {
    refused("must end with .csv or .ndjson", "run", "feed.txt");
    refused("no such file or folder", "run", folder.resolve("feed.csv").toString());
    refused("--url must be like", "run", folder.resolve("a.csv").toString(), "--url", "x");
  }

  @Test
  void theIdOfAFeedIsThatOfItsContent() throws IOException {
    Path feed = Files.writeString(folder.resolve("feed.csv"), "a\n");
    String id = PaymentsRun.idOf(feed);
    assertThat(id).startsWith("feed.csv-").hasSize(21);
    assertThat(PaymentsRun.idOf(feed)).isEqualTo(id);
    Files.writeString(feed, "b\n");
    assertThat(PaymentsRun.idOf(feed)).isNotEqualTo(id);
  }

  @Test
  void theTimeLeftIsThatOfTheLastSlotOrOfTheRate() {
    Instant now = Instant.parse("2026-06-01T12:00:00Z");
    FeedProgress feed =
        new FeedProgress(
            new Feed(
                "f",
                Feed.State.STARTED,
                false,
                110,
                5,
                5,
                100,
                100,
                40,
                0,
                0,
                Optional.of(now),
                Optional.of(now.plusSeconds(10))));
    assertThat(feed.timeLeft(now, 10)).contains(Duration.ofSeconds(10));
    assertThat(feed.timeLeft(now, 2)).contains(Duration.ofSeconds(30));
    assertThat(feed.timeLeft(now, 0)).contains(Duration.ofSeconds(10));
    assertThat(feed.counts()).isEqualTo("110 read, 5 rejected, 100 assigned, 100 started, 40 paid");
  }

  @Test
  void theRateIsThatOfTheLastSeconds() {
    FeedRate rate = new FeedRate();
    assertThat(rate.add(0, 1_000)).isZero();
    assertThat(rate.add(2_000_000_000L, 1_100)).isEqualTo(50);
    for (int second = 3; second <= 30; second++) {
      rate.add(second * 1_000_000_000L, 1_100 + second);
    }
    assertThat(rate.add(31_000_000_000L, 1_131)).isEqualTo(1);
  }

  private Path calls(int count) throws IOException {
    Path file = folder.resolve("calls-" + count + ".ndjson");
    try (CallLog log = CallLog.append(file)) {
      for (int i = 0; i < count; i++) {
        Instant at = Instant.parse("2026-06-01T12:00:00Z").plusMillis(i * 10L);
        log.add(new RecordedCall(at, "p" + i, "d", 1, CallResult.PAID, true));
      }
    }
    return file;
  }

  private static CommandRun run(String... arguments) {
    return CommandRun.of(new PaymentsCommand(), arguments);
  }

  private static void refused(String message, String... arguments) {
    CommandRun run = run(arguments);
    assertThat(run.err()).contains(message);
    assertThat(run.code()).isEqualTo(2);
  }
}
