package dev.weir.server.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.settings.ServerSetting;
import dev.weir.node.wiring.Node;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.Http;
import dev.weir.server.wiring.TestNode;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests and batches as spans, at a collector that really receives them. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class TracingIT {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String CALLER = "00f067aa0ba902b7";
  private static final String FOLLOWED = "00-" + TRACE + "-" + CALLER + "-01";
  private static final String NOT_FOLLOWED = FOLLOWED.replaceFirst("01$", "00");

  @Test
  void tellsOfARequestAndItsBatchWithinTheTraceOfTheCaller() {
    List<Collector.Received> spans = twoSpansOf("0", FOLLOWED);
    assertThat(spans).hasSize(2).allMatch(span -> span.traceId().equals(TRACE));
    Collector.Received request = named(spans, "POST /api/v1/slots");
    Collector.Received batch = named(spans, "slots batch");
    assertThat(request.parentId()).isEqualTo(CALLER);
    assertThat(batch.parentId()).isEqualTo(request.spanId());
  }

  @Test
  void beginsATraceWhereTheCallerNamesNone() {
    List<Collector.Received> spans = twoSpansOf("100", "nonsense");
    assertThat(spans).hasSize(2);
    Collector.Received request = named(spans, "POST /api/v1/slots");
    assertThat(request.parentId()).isEmpty();
    assertThat(named(spans, "slots batch").traceId()).isEqualTo(request.traceId());
  }

  @Test
  void tellsNothingOfWhatIsNotToBeFollowed() throws IOException {
    assertThat(spansOf("100", NOT_FOLLOWED)).isEmpty();
    assertThat(spansOf("0", "nonsense")).isEmpty();
  }

  @Test
  void namesSpansByEndpointsAndTellsOfRefusedRequestsToo() {
    List<Collector.Received> spans =
        twoSpans(
            () ->
                spansOf(
                    "100",
                    http -> {
                      http.get("/api/v1/slots/unknown").problem(404, "unknown-event");
                      http.get("/nowhere").problem(404, "not-found");
                    }));
    assertThat(spans)
        .extracting(Collector.Received::name)
        .containsExactlyInAnyOrder("GET /api/v1/slots/{eventId}", "GET");
  }

  @Test
  void servesWithoutItsCollector() throws IOException {
    URI gone;
    try (Collector collector = Collector.start()) {
      gone = collector.address();
    }
    try (Node node = start(gone, "100")) {
      new Http(node.address()).post("/api/v1/slots", "{\"eventId\":\"alone\"}").ok();
    }
  }

  /** What a collector gets of one request. */
  private static List<Collector.Received> spansOf(String percent, String traceparent)
      throws IOException {
    return spansOf(
        percent,
        http ->
            http.with("traceparent", traceparent)
                .post("/api/v1/slots", "{\"eventId\":\"traced\"}")
                .ok());
  }

  /** What a collector gets of the requests of a client; closing the node sends what is left. */
  private static List<Collector.Received> spansOf(String percent, Consumer<Http> requests)
      throws IOException {
    try (Collector collector = Collector.start()) {
      try (Node node = start(collector.address(), percent)) {
        requests.accept(new Http(node.address()));
      }
      return collector.spans();
    }
  }

  private static List<Collector.Received> twoSpansOf(String percent, String traceparent) {
    return twoSpans(() -> spansOf(percent, traceparent));
  }

  /**
   * Returns what a collector gets, if it is two spans or more. A busy machine may not send them in
   * time: then they are dropped, and another node begins anew.
   */
  private static List<Collector.Received> twoSpans(Run run) {
    AtomicReference<List<Collector.Received>> spans = new AtomicReference<>(List.of());
    Waiting.until(
        "two spans",
        () -> {
          spans.set(run.spans());
          return spans.get().size() >= 2;
        });
    return spans.get();
  }

  /** A node from its start to its end. */
  private interface Run {
    List<Collector.Received> spans() throws IOException;
  }

  private static Node start(URI collector, String percent) {
    return TestNode.inMemory(
        Map.of(
            ServerSetting.TRACING_ENDPOINT,
            collector.toString(),
            ServerSetting.TRACING_PERCENT,
            percent));
  }

  private static Collector.Received named(List<Collector.Received> spans, String name) {
    return spans.stream().filter(span -> span.name().equals(name)).findFirst().orElseThrow();
  }
}
