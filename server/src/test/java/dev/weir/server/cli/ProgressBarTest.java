package dev.weir.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.cli.Phrases;
import dev.weir.node.cli.Terminal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class ProgressBarTest {
  private static final Terminal SCREEN = new Terminal(true, true, false, 80);
  private static final Terminal LOG = new Terminal(false, false, false, 80);

  private final AtomicLong nanos = new AtomicLong(-5);
  private final ImportTally tally = new ImportTally();

  @Test
  void knowsThePaceAndTheTimeLeft() {
    ProgressBar bar = bar(SCREEN, OptionalLong.of(40_000_000));
    answer(3_000, 10_000_000);
    nanos.addAndGet(Duration.ofSeconds(2).toNanos());

    assertThat(bar.elapsed()).isEqualTo(Duration.ofSeconds(2));
    assertThat(bar.eventsPerSecond(tally.counts())).isEqualTo(1_500);
    assertThat(bar.timeLeft(tally.counts())).contains(Duration.ofSeconds(6));
    assertThat(bar.text(tally.counts()))
        .isEqualTo("#######--------------------- 25% of 40.0 MB, 3,000 events, 1,500/s, 0:06 left");
  }

  @Test
  void hasNoBarInALog() {
    ProgressBar bar = bar(LOG, OptionalLong.of(40_000_000));
    answer(3_000, 10_000_000);
    tally.rejected();
    tally.waiting(7);
    nanos.addAndGet(Duration.ofSeconds(2).toNanos());
    assertThat(bar.text(tally.counts()))
        .isEqualTo(
            "25% of 40.0 MB, 3,001 events, 1,500/s, 0:06 left, 1 rejected,"
                + " 7 waiting for the database");
  }

  @Test
  void promisesNothingBeforeTheFirstAnswerOrForAPipe() {
    ProgressBar bar = bar(SCREEN, OptionalLong.of(40_000_000));
    assertThat(bar.timeLeft(tally.counts())).isEmpty();
    assertThat(bar.text(tally.counts())).contains("0% of 40.0 MB, 0 events, 0/s");

    answer(10, 1_000_000);
    ProgressBar pipe = bar(SCREEN, OptionalLong.empty());
    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    assertThat(pipe.timeLeft(tally.counts())).isEmpty();
    assertThat(pipe.text(tally.counts())).isEqualTo("1.0 MB, 10 events, 10/s");
  }

  @Test
  void staysWithinBoundsWhenTheFeedGrowsOrIsEmpty() {
    answer(10, 2_000_000);
    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    ProgressBar grown = bar(SCREEN, OptionalLong.of(1_000_000));
    assertThat(grown.text(tally.counts())).startsWith("####").contains("100% of 1.0 MB");
    assertThat(grown.timeLeft(tally.counts())).contains(Duration.ZERO);
    assertThat(bar(SCREEN, OptionalLong.of(0)).text(tally.counts())).contains("100% of 0.0 MB");
  }

  @Test
  void neverIsWiderThanTheTerminal() {
    ProgressBar bar = bar(new Terminal(true, true, false, 40), OptionalLong.of(40_000_000));
    answer(3_000, 10_000_000);
    assertThat(bar.text(tally.counts())).hasSizeLessThan(40);
  }

  @Test
  void sumsUpWhatTheImportCameTo() {
    ProgressBar bar = bar(SCREEN, OptionalLong.empty());
    tally.assigned(Instant.parse("2026-06-01T12:00:02Z"), false);
    tally.assigned(Instant.parse("2026-06-01T12:00:01Z"), true);
    tally.assigned(Instant.parse("2026-06-01T12:00:02.5Z"), false);
    tally.rejected();
    nanos.addAndGet(Duration.ofMillis(500).toNanos());
    assertThat(
            FeedTransfer.summary(
                "assigned", tally.counts(), bar, Path.of("feed.csv.rejects.ndjson")))
        .containsExactly(
            "assigned  2",
            "replayed  1",
            "rejected  1, see feed.csv.rejects.ndjson",
            "first     2026-06-01T12:00:01Z",
            "last      2026-06-01T12:00:02.500Z",
            "elapsed   0.5 s, 8 events/s");
  }

  @Test
  void saysDurationsAsPeopleDo() {
    assertThat(Phrases.duration(Duration.ofMillis(250))).isEqualTo("0.3 s");
    assertThat(Phrases.duration(Duration.ofSeconds(401))).isEqualTo("6 min 41 s");
    assertThat(Phrases.duration(Duration.ofMinutes(666))).isEqualTo("11 h 6 min");
    assertThat(Phrases.duration(Duration.ofHours(76))).isEqualTo("3 d 4 h");
    assertThat(Phrases.duration(Duration.ofSeconds(-90))).isEqualTo("-1 min 30 s");
    assertThat(Phrases.clock(Duration.ofSeconds(3_605))).isEqualTo("1:00:05");
  }

  private ProgressBar bar(Terminal terminal, OptionalLong totalBytes) {
    return new ProgressBar(terminal, totalBytes, nanos::get);
  }

  private void answer(int events, long feedBytes) {
    for (int event = 0; event < events; event++) {
      tally.assigned(Instant.EPOCH, false);
    }
    tally.feedBytes(feedBytes);
  }
}
