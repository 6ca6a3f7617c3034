package dev.weir.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.settings.ServerSetting;
import dev.weir.node.wiring.Node;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.Http;
import dev.weir.server.http.RawHttp;
import dev.weir.server.http.RunningNode;
import dev.weir.server.wiring.TestNode;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.SocketException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The last minutes, and the stream of what happens. */
final class NowIT {
  @RegisterExtension static final RunningNode NODE = RunningNode.inMemory(Map.of());

  private static final String NOW = "/api/v1/dashboard/now";

  private final Http http = NODE.http();

  @Test
  void saysWhatTheNodeConsistsOf() {
    Http.Answer parts = http.get("/api/v1/dashboard/parts").ok();
    assertThat(parts.textAt("slotStore")).isEqualTo("memory");
    assertThat(parts.textAt("limitStore")).isEqualTo("memory");
    assertThat(parts.at("embedded")).isEqualTo(true);
    assertThat(parts.at("notifications")).isEqualTo(false);
    assertThat(parts.textAt("reclaimGrace")).isEqualTo("PT1M");
  }

  @Test
  void recordsSlotsAndChecksBySecond() {
    http.post(
        "/api/admin/rules", "{\"name\":\"now\",\"allowedRequests\":2,\"windowSeconds\":3600}");
    for (int i = 0; i < 3; i++) {
      http.post("/api/v1/check", "{\"rule\":\"now\",\"key\":\"k\"}");
      http.post("/api/v1/slots", "{\"eventId\":\"now-%d\"}".formatted(i)).ok();
    }
    Waiting.until(
        "the samples",
        () ->
            sum("allowed") == 2
                && sum("refused") == 1
                && sum("slotsAssigned") == 3
                && sum("modeStore") >= 3);
    Http.Answer now = http.get(NOW).ok();
    List<?> seconds = now.listAt("seconds");
    assertThat(seconds).isSortedAccordingTo((one, other) -> number(one).compareTo(number(other)));
    ((Map<?, ?>) now.at("series"))
        .forEach((name, column) -> assertThat((List<?>) column).hasSameSizeAs(seconds));
    assertThat(now.listAt("series.slotP99Ms")).anyMatch(BigDecimal.class::isInstance);
    assertThat(now.listAt("series.checkP50Ms")).anyMatch(BigDecimal.class::isInstance);
    assertThat(now.at("state.ready")).isEqualTo(true);
    assertThat(now.textAt("state.mode")).isEqualTo("store");
    assertThat(now.listAt("state.modes").toString()).isEqualTo("[store]");
  }

  @Test
  void severalViewersSeeTheSameSamplesAndASleepyOneDelaysNobody() throws IOException {
    try (RawHttp one = watch(NODE.address(), "");
        RawHttp other = watch(NODE.address(), "");
        RawHttp sleepy = watch(NODE.address(), "")) {
      String head = one.readTo("event: state\n");
      assertThat(head).contains("HTTP/1.1 200 OK", "content-type: text/event-stream", ": weir\n\n");
      List<Long> first = seconds(one, 4);
      List<Long> second = seconds(other, 4);
      assertThat(first).isSorted().doesNotHaveDuplicates();
      // Each may have begun later than the other.
      long from = Math.max(first.getFirst(), second.getFirst());
      long until = Math.max(first.getLast(), second.getLast()) + 1;
      assertThat(between(from, until, first, one))
          .hasSizeGreaterThanOrEqualTo(2)
          .isEqualTo(between(from, until, second, other));
      assertThat(sleepy.isAnswered()).as("it is there, and unread").isTrue();
    }
  }

  @Test
  void theStreamBeginsWithWhatWasMissed() throws IOException {
    Waiting.until("some samples", () -> http.get(NOW).ok().listAt("seconds").size() >= 3);
    List<?> known = http.get(NOW).ok().listAt("seconds");
    long after = number(known.get(known.size() - 3)).longValueExact();
    try (RawHttp stream = watch(NODE.address(), "?after=" + after)) {
      List<Long> streamed = seconds(stream, 3);
      // A busy machine may leave seconds out.
      List<Long> following =
          http.get(NOW).ok().listAt("seconds").stream()
              .map(second -> number(second).longValueExact())
              .filter(second -> second > after)
              .limit(3)
              .toList();
      assertThat(streamed)
          .isEqualTo(following)
          .startsWith(
              number(known.get(known.size() - 2)).longValueExact(),
              number(known.getLast()).longValueExact());
    }
  }

  /** Compressed, the buffers of a viewer that reads nothing would hold many times the events. */
  @Test
  void theStreamIsNotCompressed() throws IOException {
    try (RawHttp stream = new RawHttp(NODE.address())) {
      stream.send(
          "GET /api/v1/dashboard/stream HTTP/1.1\r\nHost: %s\r\nAccept-Encoding: gzip\r\n\r\n"
              .formatted(NODE.address().getAuthority()));
      assertThat(stream.readTo("event: sample\n"))
          .contains("HTTP/1.1 200 OK")
          .doesNotContainIgnoringCase("content-encoding");
    }
  }

  @Test
  void refusesWhatIsNoSecond() {
    http.get("/api/v1/dashboard/stream?after=yesterday").wrong("after");
    http.get("/api/v1/dashboard/stream?since=1").wrong("since");
  }

  @Test
  void pagesOfOtherSitesTakeNoPlace() {
    for (String site : List.of("cross-site", "same-site")) {
      http.with("Sec-Fetch-Site", site)
          .get("/api/v1/dashboard/stream")
          .problem(403, "other-origin");
    }
  }

  @Test
  void thereIsAMaxNumberOfViewersAndWhoLeavesMakesRoom() throws IOException {
    Node own = TestNode.inMemory(Map.of());
    List<RawHttp> viewers = new ArrayList<>();
    try {
      for (int i = 0; i < Viewers.MAX_VIEWERS; i++) {
        RawHttp viewer = watch(own.address(), "");
        viewers.add(viewer);
        viewer.readTo(": weir");
      }
      Http.Answer refused = new Http(own.address()).get("/api/v1/dashboard/stream");
      refused.problem(503, "too-many-viewers");
      assertThat(refused.header("retry-after")).hasValue("10");

      viewers.removeFirst().close();
      Waiting.until(
          "a place to be free",
          () -> {
            RawHttp next = watch(own.address(), "");
            viewers.add(next);
            return next.readTo("\r\n").contains("200");
          });
    } finally {
      for (RawHttp viewer : viewers) {
        viewer.close();
      }
      own.close();
    }
  }

  @Test
  void theStreamEndsInOrderWhenTheNodeDrains() throws IOException, InterruptedException {
    Node own =
        TestNode.inMemory(
            Map.of(
                ServerSetting.DRAIN,
                "PT10M",
                ServerSetting.DRAIN_NOTICE,
                "PT0S",
                ServerSetting.DRAIN_IDLE,
                "PT0S"));
    try (RawHttp stream = watch(own.address(), "")) {
      stream.readTo("event: sample\n");
      Thread closing = Thread.ofVirtual().start(own::close);
      assertThat(stream.readAll())
          .contains("event: end\ndata: {\"reason\":\"draining\"}\n\n")
          .endsWith("0\r\n\r\n");
      closing.join();
    } finally {
      own.close();
    }
  }

  @Test
  void theStreamEndsAlsoIfTheNodeDoesNotWait() throws IOException {
    Node own = TestNode.inMemory(Map.of(ServerSetting.DRAIN, "PT0S"));
    try (RawHttp stream = watch(own.address(), "")) {
      stream.readTo("event: sample\n");
      own.close();
      stream.readAll();
    } catch (SocketException e) {
      assertThat(e).as("who does not wait may cut").hasMessageContaining("reset");
    } finally {
      own.close();
    }
  }

  private static RawHttp watch(URI node, String query) throws IOException {
    RawHttp stream = new RawHttp(node);
    stream.send(
        "GET /api/v1/dashboard/stream%s HTTP/1.1\r\nHost: %s\r\nAccept: text/event-stream\r\n\r\n"
            .formatted(query, node.getAuthority()));
    return stream;
  }

  /** Reads the seconds of the next samples. */
  private static List<Long> seconds(RawHttp stream, int count) throws IOException {
    List<Long> seconds = new ArrayList<>();
    while (seconds.size() < count) {
      Matcher id = Pattern.compile("id: (\\d+)\n").matcher(stream.readTo("event: sample\n"));
      while (id.find()) {
        seconds.add(Long.parseLong(id.group(1)));
      }
    }
    return seconds;
  }

  /** Reads on until a second has come, and returns those of a range. */
  private static List<Long> between(long from, long until, List<Long> seen, RawHttp stream)
      throws IOException {
    List<Long> all = new ArrayList<>(seen);
    while (all.getLast() < until) {
      all.addAll(seconds(stream, 1));
    }
    return all.stream().filter(second -> second >= from && second <= until).toList();
  }

  private long sum(String series) {
    return http.get(NOW).ok().listAt("series." + series).stream()
        .mapToLong(value -> number(value).longValueExact())
        .sum();
  }

  private static BigDecimal number(Object value) {
    return (BigDecimal) value;
  }
}
