package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.payments.FeedRecord;
import dev.weir.payments.FeedStatus;
import dev.weir.payments.PaymentState;
import dev.weir.payments.feed.internal.FeedFormat;
import dev.weir.payments.feed.internal.FeedReader;
import dev.weir.payments.workflows.PaymentScene.Settings;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Every kind of wrongness in one feed, from the file to the downstream. */
final class FlawedFeedTest {
  private static final String HEADER =
      "paymentId,amount,currency,debtorAccount,creditorAccount,requestedTime,reference,configName";

  private final List<String> lines = new ArrayList<>(List.of(HEADER));

  /** The rejected lines, and a part of the reason of each. */
  private final Map<Long, String> flaws = new LinkedHashMap<>();

  private int enclosedLines;

  private void good(String line) {
    lines.add(line);
  }

  private void flawed(String line, String reason) {
    lines.add(line);
    flaws.put((long) lines.size(), reason);
  }

  /** Adds a line that belongs to the flawed record before it because of that record's quote. */
  private void enclosed(String line) {
    lines.add(line);
    enclosedLines++;
  }

  @Test
  void eachFlawIsRejectedWithLineAndReasonAndTheOthersArePaid() throws IOException {
    good("good-1,12.50,EUR,DE89370400440532013000,GB29NWBK60161331926819,,rent,");
    flawed(",1.00,EUR,a,b,,,", "paymentId is missing");
    flawed("x".repeat(201) + ",1.00,EUR,a,b,,,", "paymentId must have up to 200 characters");
    flawed("weir-feed:1,1.00,EUR,a,b,,,", "paymentId must not start with weir-feed:");
    flawed("feeds,1.00,EUR,a,b,,,", "paymentId must not be feeds");
    flawed("f-1,,EUR,a,b,,,", "amount is missing");
    flawed("f-2,0.00,EUR,a,b,,,", "amount must be above 0");
    flawed("f-3,-12.50,EUR,a,b,,,", "amount must be a decimal number");
    flawed("f-4,twelve,EUR,a,b,,,", "amount must be a decimal number");
    flawed("f-5,1e3,EUR,a,b,,,", "amount must be a decimal number");
    flawed("f-6,12.505,EUR,a,b,,,", "amount must have up to 2 fraction digits");
    flawed("f-7,1.5,JPY,a,b,,,", "amount must have up to 0 fraction digits");
    flawed("f-8,1.00,EUX,a,b,,,", "currency must be a code of ISO 4217");
    flawed("f-9,1.00,,a,b,,,", "currency is missing");
    flawed("f-10,1.00,EUR,,b,,,", "debtorAccount is missing");
    flawed(
        "f-11,1.00,EUR,a," + "7".repeat(35) + ",,,",
        "creditorAccount must have up to 34 characters");
    flawed("f-12,1.00,EUR,a,DE89370400440532013001,,,", "its check digits are wrong");
    flawed(
        "f-13,1.00,EUR,a,b,2026-06-01T12:00:00,,", "requestedTime must be a time with an offset");
    flawed("f-14,1.00,EUR,a,b,2026-02-30T12:00:00Z,,", "requestedTime must be a time");
    flawed("f-15,1.00,EUR,a,b,," + "r".repeat(141) + ",", "reference must have up to 140");
    flawed("f-16,1.00,EUR,a,b,,a\u0007b,", "reference must not contain control characters");
    flawed("f-17,1.00,EUR,a,b,,,no such name!", "configName");
    flawed("f-18,1.00,EUR,a,b,,,nowhere", "there is no configuration nowhere");
    good("good-1,12.5,EUR,DE89370400440532013000,GB29NWBK60161331926819,,rent,");
    flawed(
        "good-1,12.51,EUR,DE89370400440532013000,GB29NWBK60161331926819,,rent,",
        "paymentId is that of another payment, with another amount");
    flawed("f-19,1.00,EUR", "fields");
    flawed("f-20,1.00,EUR,a,b,,,,,", "fields");
    flawed("f-21,none,EUX,a,b,,,", "amount must be a decimal number such as 12.50; currency must");
    flawed("f-22,1.00,EUR,\"a,b,,,", "are one record because of their quotes");
    enclosed("f-23,1.00,EUR,a,\"b, c\",,,");
    good("good-2,1.00,EUR,a,\"b, c\",2020-01-01T00:00:00+02:00,,");
    good("closed-1,1.00,EUR,a,%s,,,".formatted(FlakyDownstream.REFUSED_ACCOUNT));
    good("good-3,3,JPY,a,b,,\"say \"\"hello\"\"\",");
    byte[] feed = (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);

    try (PaymentScene scene = PaymentScene.open(new Settings(15, 20, 0, 0))) {
      FeedReader reader = FeedReader.open(new ByteArrayInputStream(feed), FeedFormat.CSV);
      scene.receive("f", reader.records());
      FeedStatus done = scene.awaitDone("f");
      Map<Long, String> rejects = new LinkedHashMap<>();
      for (FeedRecord.Rejected reject : scene.payments.rejects(scene.feedId("f"), 0, 1_000)) {
        rejects.put(reject.line(), reject.reason());
      }
      assertThat(rejects).containsOnlyKeys(flaws.keySet());
      assertThat(rejects)
          .allSatisfy((line, reason) -> assertThat(reason).contains(flaws.getOrDefault(line, "?")));
      assertThat(done.read()).isEqualTo(lines.size() - 1 - enclosedLines);
      assertThat(done.rejected()).isEqualTo(flaws.size());
      assertThat(done.repeated()).isEqualTo(1);
      assertThat(done.paid()).isEqualTo(3);
      assertThat(done.failed()).isEqualTo(1);
      assertThat(scene.downstream.booked()).containsExactlyInAnyOrder("good-1", "good-2", "good-3");
      assertThat(scene.payments.find("closed-1").orElseThrow().state())
          .isEqualTo(PaymentState.FAILED);
    }
  }
}
