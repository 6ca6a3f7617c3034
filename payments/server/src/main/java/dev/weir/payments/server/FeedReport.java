package dev.weir.payments.server;

import dev.weir.http.endpoints.MediaTypes;
import dev.weir.internal.Micros;
import dev.weir.payments.FeedStatus;
import dev.weir.payments.PaymentStore;
import dev.weir.payments.simulator.report.FeedCalls;
import dev.weir.payments.simulator.report.FeedCounts;
import dev.weir.payments.simulator.report.ReportChart;
import dev.weir.payments.simulator.report.ReportSection;
import dev.weir.payments.simulator.report.ReportText;
import io.micronaut.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;

/** The report about the calls of a feed, as the nodes recorded them. */
final class FeedReport {
  /** Max intervals that are read; a feed that takes longer is read in coarser ones. */
  private static final int MAX_COUNTS = 20_000;

  private static final List<Duration> INTERVALS =
      List.of(Duration.ofSeconds(1), Duration.ofMinutes(1), Duration.ofHours(1));

  private final ReportSection section;

  private FeedReport(ReportSection section) {
    this.section = section;
  }

  static FeedReport of(PaymentServices services, FeedStatus feed) {
    PaymentStore store = services.store();
    Duration interval = INTERVALS.getFirst();
    List<PaymentStore.CallCount> counts = List.of();
    for (Duration candidate : INTERVALS) {
      interval = candidate;
      counts = store.calls(feed.feedId(), Micros.floor(candidate), MAX_COUNTS);
      if (counts.size() < MAX_COUNTS) {
        break;
      }
    }
    FeedCounts became = counts(feed);
    return new FeedReport(
        new ReportSection(
            "Feed " + feed.feedId(),
            services.ceiling(),
            FeedCalls.statistics(
                became,
                counts.stream()
                    .map(count -> new FeedCalls.CallCount(count.from(), count.calls()))
                    .toList(),
                interval,
                store.maxCallsInASecond(feed.feedId()),
                store.callsTooMany(feed.feedId())),
            Optional.of(became)));
  }

  private static FeedCounts counts(FeedStatus feed) {
    return new FeedCounts(
        feed.read(),
        feed.rejected(),
        feed.repeated(),
        feed.paid(),
        feed.failed(),
        feed.cancelled(),
        feed.firstScheduled(),
        feed.lastScheduled());
  }

  HttpResponse<byte[]> chart(ZoneId zone) {
    return text(ReportChart.of(List.of(section), zone), MediaTypes.SVG);
  }

  HttpResponse<byte[]> markdown() {
    return text(ReportText.of(List.of(section)), MediaTypes.MARKDOWN);
  }

  private static HttpResponse<byte[]> text(String text, String type) {
    return HttpResponse.ok(text.getBytes(StandardCharsets.UTF_8)).contentType(type);
  }
}
