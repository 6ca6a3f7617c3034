package dev.weir.payments.simulator.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.payments.simulator.calls.CallTally;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ReportTextTest {

  @Test
  void saysTheResultFirst() {
    String text =
        ReportText.of(List.of(new ReportSection("Run 1", 50, Runs.even(40, 60), Optional.empty())));
    assertThat(text)
        .startsWith(
            """
            # Calls to the payment API

            ## Run 1
            **The ceiling of 50 calls a second held: no sliding second had more than 40 calls.**

            | | |
            |---|---|
            | payments booked | 2,400 |
            | calls | 2,400 |
            | calls: paid | 2,400 |
            | ceiling, calls a second | 50 |
            | max calls in a sliding second | 40 |
            | mean calls a second | 40.0 |
            | first call | 2026-06-01 12:00:00.000 UTC |
            | last call | 2026-06-01 12:00:59.975 UTC |
            | duration | 60.0 s |

            ## How this was measured
            The payment API recorded the time at which each call arrived. A sliding second\
            """);
  }

  @Test
  void saysWhenTheCeilingWasExceeded() {
    assertThat(
            ReportText.of(
                List.of(new ReportSection("Run", 40, Runs.burst(40, 20), Optional.empty()))))
        .contains(
            "**The ceiling of 40 calls a second was exceeded: the second that ended at 2026-06-01"
                + " 12:00:10.000 UTC had 60 calls.**")
        .contains("| calls: refused above the ceiling | 20 |");
  }

  @Test
  void countsWhatBecameOfAFeed() {
    FeedCounts feed =
        new FeedCounts(1_000, 20, 10, 900, 5, 1, Optional.of(Runs.START), Optional.empty());
    assertThat(
            ReportText.of(
                List.of(new ReportSection("Feed", 50, Runs.even(40, 20), Optional.of(feed)))))
        .contains("| records read | 1,000 |")
        .contains("| records rejected | 20 |")
        .contains("| records repeated, skipped | 10 |")
        .contains("| payments made | 900 |")
        .contains("| payments still to be made | 64 |")
        .contains("| first slot | 2026-06-01 12:00:00.000 UTC |")
        .contains("Each caller recorded the time right before it sent a call")
        .doesNotContain("last slot");
  }

  @Test
  void doesNotSayThatTheCeilingHeldIfThePaymentApiRefusedCalls() {
    FeedCounts feed = new FeedCounts(8, 0, 0, 8, 0, 0, Optional.empty(), Optional.empty());
    List<FeedCalls.CallCount> calls = List.of(new FeedCalls.CallCount(Runs.START, 10));
    assertThat(
            ReportText.of(
                List.of(
                    new ReportSection(
                        "Feed",
                        50,
                        FeedCalls.statistics(feed, calls, Duration.ofSeconds(1), 10, 2),
                        Optional.of(feed)))))
        .contains(
            "**The ceiling of 50 calls a second may not have held: the payment API refused 2 calls"
                + " as too many (429).**")
        .contains("| calls: refused above the ceiling | 2 |")
        .doesNotContain(" held: no sliding second");
  }

  @Test
  void keepsATitleFromBecomingMarkup() {
    ReportSection section =
        new ReportSection("a\n# b | *c* <i>", 50, new CallTally().statistics(), Optional.empty());
    assertThat(ReportText.of(List.of(section)))
        .contains("## a \\# b \\| \\*c\\* \\<i\\>\n**There were no calls.**");
  }
}
