package dev.weir.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.verify.Findings;
import dev.weir.server.verify.Invariant;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What one node does is seen by the other; what a client breaks off is not half done. */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
final class TwoNodesIT {
  private static final Duration BOUND = Duration.ofMinutes(3);
  private static final Pattern MISSES =
      Pattern.compile("(?m)^rate_limiter_config_cache_misses_total (\\d+)");

  @AutoClose private static final StartedParts STARTED = new StartedParts();

  @TempDir private static Path folder;
  private static NodeProcess one;
  private static Api first;
  private static Api second;

  @BeforeAll
  static void start() throws IOException {
    // Both find it empty, and one of them creates the tables.
    Database database = STARTED.add(Database.startEmpty(folder.resolve("data")));
    Map<String, String> settings = new HashMap<>(database.environment());
    // So that nothing is noticed merely because time has passed.
    settings.put("WEIR_SLOTS_CACHE_TTL", "PT1H");
    one = STARTED.add(NodeProcess.start(folder.resolve("1.log"), settings));
    NodeProcess two = STARTED.add(NodeProcess.start(folder.resolve("2.log"), settings));
    first = STARTED.add(new Api(one.awaitReady().address()));
    second = STARTED.add(new Api(two.awaitReady().address()));
  }

  @Test
  void aChangeOnOneNodeIsInForceAtTheNextSlotOfTheOther() throws Exception {
    first.configure("{'configName':'seen','maxPerWindow':5,'windowSize':'PT1S'}");
    for (int version = 1; version <= 10; version++) {
      assertThat(second.post("/api/v1/slots", request("seen", "seen-" + version)).body())
          .contains("\"configVersion\":" + version);
      first.configure(
          "{'configName':'seen','maxPerWindow':%d,'windowSize':'PT1S'}".formatted(5 + version));
    }
  }

  @Test
  void aFlushOnOneNodeReachesTheOther() throws Exception {
    first.configure("{'configName':'flushed','maxPerWindow':5,'windowSize':'PT1S'}");
    second.post("/api/v1/slots", request("flushed", "flushed-0"));
    second.post("/api/v1/slots", request("flushed", "flushed-0"));
    long before = misses(second);
    assertThat(first.post("/admin/rate-limit/cache/flush", "").statusCode()).isLessThan(300);
    Waiting.until(
        "the other node to read its configuration anew",
        BOUND,
        () -> {
          try {
            second.post("/api/v1/slots", request("flushed", "flushed-0"));
            return misses(second) > before;
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  @Test
  void aClientThatHangsUpMidStreamKeepsWhatItWasTold() throws Exception {
    first.configure("{'configName':'cut','maxPerWindow':50,'windowSize':'PT1S'}");
    try (Journal journal = new Journal(folder.resolve("cut.ndjson"))) {
      int told = 0;
      for (int call = 0; call < 6; call++) {
        told += hangUp(one.address(), "cut-" + call, call * 60, journal);
      }
      assertThat(told).isPositive();
      assertThat(first.post("/api/v1/slots", request("cut", "cut-after")).statusCode())
          .isEqualTo(200);
      Findings findings = Database.check(folder.resolve("data"), journal);
      assertThat(findings.clean()).as(findings.toString()).isTrue();
      assertThat(findings.lookedAt(Invariant.KEPT, "answers")).isEqualTo(told);
    }
  }

  /** Sends lines, reads some of the answers, and is gone in the middle of both. */
  private static int hangUp(URI address, String id, int read, Journal journal) throws IOException {
    String lines =
        IntStream.range(0, 600)
            .mapToObj(i -> request("cut", id + "-" + i) + "\n")
            .collect(Collectors.joining());
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), address.getPort())) {
      socket.setSoTimeout((int) BOUND.toMillis());
      // Gone without a goodbye.
      socket.setSoLinger(true, 0);
      OutputStream out = socket.getOutputStream();
      String head =
          String.join(
              "\r\n",
              "POST /api/v1/slots/batch HTTP/1.1",
              "Host: localhost",
              "Content-Type: application/x-ndjson",
              "Transfer-Encoding: chunked",
              "",
              "");
      // One chunk, and half of the next.
      String body = Integer.toHexString(lines.length()) + "\r\n" + lines + "\r\nffff\r\n{\"eve";
      out.write((head + body).getBytes(StandardCharsets.US_ASCII));
      out.flush();
      BufferedReader reader =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
      int told = 0;
      while (told < read) {
        String line = reader.readLine();
        if (line.startsWith("{") && line.endsWith("}")) {
          assertThat(line).contains("\"eventId\":\"" + id + "-" + told + "\"");
          journal.note(line);
          told++;
        }
      }
      return told;
    }
  }

  private static String request(String config, String id) {
    return "{\"eventId\":\"%s\",\"configName\":\"%s\",\"requestedTime\":\"2030-01-01T00:00:00Z\"}"
        .formatted(id, config);
  }

  private static long misses(Api api) throws IOException, InterruptedException {
    Matcher misses = MISSES.matcher(api.get("/metrics").body());
    assertThat(misses.find()).isTrue();
    return Long.parseLong(misses.group(1));
  }
}
