package dev.weir.server.payments;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.payments.simulator.calls.CallTally;
import dev.weir.payments.simulator.calls.RecordedCalls;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.Http;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Feeds of payments for tests, and what the simulated payment API has recorded. */
public final class Feeds {
  public static final String PATH = "/api/v1/payments/feeds";
  public static final String HEADER =
      "paymentId,amount,currency,debtorAccount,creditorAccount,requestedTime\n";

  private static final Duration LONG = Duration.ofMinutes(5);

  private Feeds() {}

  /** Returns the lines of payments with the ids prefix1, prefix2, …, at a time or now. */
  public static String lines(String prefix, int count, String requestedTime) {
    StringBuilder lines = new StringBuilder();
    for (int i = 1; i <= count; i++) {
      lines.append(line(prefix + i, "10.00", requestedTime));
    }
    return lines.toString();
  }

  public static String line(String paymentId, String amount, String requestedTime) {
    return "%s,%s,EUR,DE89370400440532013000,GB29NWBK60161331926819,%s\n"
        .formatted(paymentId, amount, requestedTime);
  }

  /** Sends a feed of CSV. */
  public static Http.Answer send(Http http, String query, byte[] csv) {
    return http.with("Content-Type", "text/csv")
        .send("POST", PATH + query, HttpRequest.BodyPublishers.ofByteArray(csv));
  }

  /** Waits until all payments of a feed have ended, and returns its progress. */
  public static Http.Answer awaitDone(Http http, String feedId) {
    Waiting.until(
        "the end of feed " + feedId,
        LONG,
        () -> http.get(PATH + "/" + feedId).ok().textAt("state").equals("DONE"));
    return http.get(PATH + "/" + feedId).ok();
  }

  /** Asserts that payments were booked once each, and that no second was above the ceiling. */
  public static void assertBookedOnce(Path data, int ceiling, List<String> paymentIds)
      throws IOException {
    List<String> booked = new ArrayList<>();
    CallTally tally = new CallTally();
    RecordedCalls.read(
        data.resolve("payments/calls.ndjson"),
        call -> {
          tally.add(call);
          if (call.booked()) {
            booked.add(call.paymentId());
          }
        });
    assertThat(booked).doesNotHaveDuplicates().containsAll(paymentIds);
    assertThat(tally.statistics().maxInSecond()).isLessThanOrEqualTo(ceiling);
  }
}
