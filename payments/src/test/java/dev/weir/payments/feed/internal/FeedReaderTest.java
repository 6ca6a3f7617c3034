package dev.weir.payments.feed.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.weir.payments.FeedRecord;
import dev.weir.payments.Payment;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

final class FeedReaderTest {
  static final String HEADER =
      "paymentId,amount,currency,debtorAccount,creditorAccount,requestedTime,reference,configName\n";
  static final String LINE =
      "p1,12.5,EUR,DE89370400440532013000,ACC-2,2026-06-01T12:00:00+02:00,\"Rent, June\",bulk\n";

  /** The same without a quote. */
  static final String PLAIN_LINE = LINE.replace("\"Rent, June\"", "Rent");

  static final Payment PAYMENT =
      new Payment(
          "p1",
          new BigDecimal("12.50"),
          "EUR",
          "DE89370400440532013000",
          "ACC-2",
          Optional.of(Instant.parse("2026-06-01T10:00:00Z")),
          "Rent, June",
          "bulk");

  @Test
  void readsBothFormatsAlike() throws IOException {
    assertThat(csv(HEADER + LINE)).containsExactly(new FeedRecord.Accepted(2, PAYMENT));
    assertThat(
            ndjson(
                """
                {"paymentId":"p1","amount":12.5,"currency":"EUR","reference":"Rent, June",\
                "debtorAccount":"DE89370400440532013000","creditorAccount":"ACC-2",\
                "requestedTime":"2026-06-01T12:00:00+02:00","configName":"bulk"}
                """))
        .containsExactly(new FeedRecord.Accepted(1, PAYMENT));
  }

  @Test
  void takesEmptyAndMissingOptionalFieldsForTheirDefaults() throws IOException {
    Payment now =
        new Payment("p", new BigDecimal("5.00"), "EUR", "A", "B", Optional.empty(), "", "");
    assertThat(csv("currency,AMOUNT, paymentid ,debtorAccount,creditorAccount\nEUR,5,p,A,B\n"))
        .containsExactly(new FeedRecord.Accepted(2, now));
    assertThat(csv(HEADER + "p,5,EUR,A,B,,,\n")).containsExactly(new FeedRecord.Accepted(2, now));
    assertThat(
            ndjson(
                "{\"paymentId\":\"p\",\"amount\":\"5\",\"currency\":\"EUR\",\"debtorAccount\":\"A\","
                    + "\"creditorAccount\":\"B\",\"requestedTime\":null,\"configName\":\"\"}"))
        .containsExactly(new FeedRecord.Accepted(1, now));
  }

  @Test
  void roundsATimeUpToWhatStoresKeep() throws IOException {
    assertThat(csv(HEADER + "p,5,EUR,A,B,2026-06-01T12:00:00.1234561Z,,\n"))
        .first()
        .isInstanceOfSatisfying(
            FeedRecord.Accepted.class,
            accepted ->
                assertThat(accepted.payment().requestedTime())
                    .contains(Instant.parse("2026-06-01T12:00:00.123457Z")));
  }

  @Test
  void namesEverythingThatIsWrongInARecord() throws IOException {
    assertThat(csv(HEADER + ",-1,XXX,,DE89370400440532013001,12:00," + "r".repeat(141) + ",!\n"))
        .containsExactly(
            new FeedRecord.Rejected(
                2,
                "paymentId is missing; amount must be a decimal number such as 12.50; currency"
                    + " must be a code of ISO 4217; debtorAccount is missing; creditorAccount looks"
                    + " like an IBAN, but its check digits are wrong; requestedTime must be a time"
                    + " with an offset such as 2026-06-01T12:00:00+02:00, in the years 1 to 9999;"
                    + " reference must have up to 140 characters, not 141; configName must be"
                    + " letters, digits, '.', '_', ':' and '-', a letter or digit first",
                "",
                ",-1,XXX,,DE89370400440532013001,12:00," + "r".repeat(141) + ",!"));
  }

  @Test
  void goesOnAfterRecordsThatCannotBeRead() throws IOException {
    assertThat(csv(HEADER + "p1\n\n" + LINE + "\"p2,x\n" + PLAIN_LINE))
        .extracting(FeedRecord::line, FeedRecord::getClass)
        .containsExactly(
            tuple(2L, FeedRecord.Rejected.class),
            tuple(4L, FeedRecord.Accepted.class),
            tuple(5L, FeedRecord.Rejected.class),
            tuple(6L, FeedRecord.Accepted.class));
  }

  @Test
  void tellsTheIdOfARejectedPayment() throws IOException {
    assertThat(csv(HEADER + "p1,0,EUR,A,B,,,\n"))
        .containsExactly(
            new FeedRecord.Rejected(2, "amount must be above 0", "p1", "p1,0,EUR,A,B,,,"));
  }

  @Test
  void allowsAsManyFractionDigitsAsTheCurrencyHas() throws IOException {
    assertThat(amountProblem("1", "JPY")).isEmpty();
    assertThat(amountProblem("1.5", "JPY"))
        .contains("amount must have up to 0 fraction digits in this currency, not 1");
    assertThat(amountProblem("1.500", "EUR"))
        .contains("amount must have up to 2 fraction digits in this currency, not 3");
    assertThat(amountProblem("1.500", "KWD")).isEmpty();
  }

  @Test
  void boundsAmounts() throws IOException {
    assertThat(amountProblem("9".repeat(16) + ".99", "EUR")).isEmpty();
    assertThat(amountProblem("9".repeat(17), "EUR")).contains("amount must have up to 18 digits");
    // Leading zeros are digits too.
    assertThat(amountProblem("0" + "9".repeat(17), "JPY")).isEmpty();
    assertThat(amountProblem("0" + "9".repeat(18), "JPY"))
        .contains("amount must have up to 18 digits");
    assertThat(amountProblem("0".repeat(15) + "1.50", "EUR")).isEmpty();
    assertThat(amountProblem("0".repeat(16) + "1", "EUR"))
        .contains("amount must have up to 18 digits");
    assertThat(amountProblem("0".repeat(16) + "1.50", "EUR"))
        .contains("amount must have up to 18 digits");
    assertThat(amountProblem("9".repeat(100_000), "EUR"))
        .contains("amount must have up to 18 digits");
    for (String text : List.of("+1", "1,5", "1e3", "0x1", ".5", "5.", "NaN", "１", " 1", "1_0")) {
      assertThat(amountProblem("\"" + text + "\"", "EUR"))
          .as(text)
          .contains("amount must be a decimal number such as 12.50");
    }
  }

  @Test
  void acceptsOnlyCurrenciesOfMoney() throws IOException {
    for (String currency : List.of("eur", "EU", "EURO", "XXX", "XAU", "ZZZ")) {
      assertThat(amountProblem("1", currency)).contains("currency must be a code of ISO 4217");
    }
    assertThat(amountProblem("1", "")).contains("currency is missing");
  }

  @Test
  void acceptsOnlyTimesThatAreCertain() throws IOException {
    for (String time :
        List.of("2026-06-01T12:00:00Z", "2026-06-01T12:00+02:00", "0001-01-01T00:00:00Z")) {
      assertThat(csv(HEADER + "p,5,EUR,A,B," + time + ",,\n"))
          .as(time)
          .hasOnlyElementsOfType(FeedRecord.Accepted.class);
    }
    for (String time :
        List.of(
            "now",
            "2026-06-01",
            "2026-06-01T12:00:00",
            "2026-02-30T12:00:00Z",
            "2026-06-30T23:59:60Z",
            "2026-06-01T12:00:00.Z",
            "0000-12-31T23:59:59Z",
            "+10000-01-01T00:00:00Z",
            "-999999999-01-01T00:00:00Z")) {
      assertThat(csv(HEADER + "p,5,EUR,A,B," + time + ",,\n"))
          .as(time)
          .hasOnlyElementsOfType(FeedRecord.Rejected.class);
    }
  }

  @Test
  void refusesTextThatCannotBeStoredOrPrinted() throws IOException {
    assertThat(csv(HEADER + "\"p\n1\",5,EUR,A,B,,,\n" + "p,5,EUR,A\u0000,B,,,\n"))
        .extracting(record -> ((FeedRecord.Rejected) record).reason())
        .containsExactly(
            "paymentId must not contain control characters or unpaired surrogates; lines 2 to 3 are"
                + " one record because of their quotes, and none of them is paid",
            "debtorAccount must not contain control characters or unpaired surrogates");
    List<FeedRecord> half = ndjson(json("\"\\ud83d\"", "5"));
    assertThat(((FeedRecord.Rejected) half.getFirst()).reason()).contains("unpaired surrogates");
    assertThat(((FeedRecord.Rejected) half.getFirst()).paymentId()).isEmpty();
  }

  @Test
  void keepsOfARejectedRecordWhatADatabaseCanStore() throws IOException {
    FeedRecord.Rejected rejected =
        (FeedRecord.Rejected) ndjson("{\u0000" + "😀".repeat(5_000)).getFirst();
    assertThat(rejected.record()).startsWith("{\uFFFD😀").hasSizeLessThanOrEqualTo(2_001);
    assertThat(UTF_8.newEncoder().canEncode(rejected.record())).isTrue();
    assertThat(rejected.reason()).startsWith("is not valid JSON: ").doesNotContain("\u0000");
  }

  @Test
  void refusesAHeaderThatIsNotThatOfAFeed() {
    headerRefused("", "it is empty, without even a header row");
    headerRefused("\n\n", "it is empty, without even a header row");
    headerRefused(
        "paymentId,amount\n", "lacks the columns currency, debtorAccount, creditorAccount");
    headerRefused(
        HEADER.replace("requestedTime", "requested_time"),
        "unknown columns: requested_time; known are paymentId, amount");
    headerRefused(HEADER.replace("\n", ",\n"), "unknown columns: (no name)");
    headerRefused(HEADER.replace("reference", "AMOUNT"), "names amount more than once");
    headerRefused("\"paymentId\n", "a quote is opened and never closed");
    headerRefused("paymentId," + "x".repeat(300_000), "the header row: is longer than");
  }

  @Test
  void refusesObjectsThatSayMoreOrLessThanTheyMay() throws IOException {
    assertReason("[]", "is not a JSON object");
    assertReason("null", "is not a JSON object");
    assertReason("{\"paymentid\":\"p\"}", "has an unknown member 'paymentid'; known are paymentId");
    assertReason("{\"paymentId\":7}", "paymentId must be a text");
    assertReason("{\"amount\":[1]}", "amount must be a number or a text");
    assertReason("{\"amount\":true}", "amount must be a number or a text");
    assertReason("{\"paymentId\":\"a\",\"paymentId\":\"b\"}", "is not valid JSON: Duplicate field");
    assertReason("{} {}", "has more than one JSON object");
    assertReason("{\"paymentId\":\"a\"", "is not valid JSON");
    assertReason("{\"a\":" + "[".repeat(100_000), "has an unknown member 'a'");
    assertReason("{\"amount\":" + "[".repeat(100_000), "amount must be a number or a text");
    assertReason("{\"amount\":" + "9".repeat(100_000) + "}", "is not valid JSON: Number");
    assertReason("{}", "paymentId is missing; amount is missing; currency is missing");
  }

  @Test
  void readsNumbersAsTheyAreWritten() throws IOException {
    // As doubles, both would be 9007199254740992.
    assertThat(amountOf(ndjson(json("\"p\"", "9007199254740993")).getFirst()))
        .isEqualByComparingTo("9007199254740993");
    assertThat(amountOf(ndjson(json("\"p\"", "0.1")).getFirst())).isEqualTo(new BigDecimal("0.10"));
    assertThat(ndjson(json("\"p\"", "1e3"))).hasOnlyElementsOfType(FeedRecord.Rejected.class);
  }

  @Test
  void readsAFeedThatIsCompressedOrBeginsWithAMark() throws IOException {
    byte[] plain = ("\uFEFF" + HEADER + LINE).getBytes(UTF_8);
    assertThat(read(FeedFormat.CSV, new ByteArrayInputStream(gzip(plain))))
        .containsExactly(new FeedRecord.Accepted(2, PAYMENT));
    assertThat(read(FeedFormat.NDJSON, new ByteArrayInputStream(gzip(new byte[0])))).isEmpty();
  }

  @Test
  void refusesCompressedDataThatIsDamaged() throws IOException {
    byte[] whole = gzip((HEADER + LINE.repeat(1_000)).getBytes(UTF_8));
    for (byte[] damaged :
        List.of(Arrays.copyOf(whole, 5), Arrays.copyOf(whole, whole.length / 2), flipped(whole))) {
      assertThatThrownBy(() -> read(FeedFormat.CSV, new ByteArrayInputStream(damaged)))
          .isInstanceOf(FeedException.class)
          .hasMessage("its compressed data is damaged or ends early");
    }
  }

  @Test
  void readsSeveralCompressedMembers() throws IOException {
    byte[] second = gzip(LINE.replace("p1,", "p2,").getBytes(UTF_8));
    byte[] members = joined(gzip((HEADER + LINE).getBytes(UTF_8)), gzip(new byte[0]), second);
    assertThat(read(FeedFormat.CSV, new ByteArrayInputStream(members))).hasSize(2);
    // One byte at a time, as from a slow connection.
    InputStream slow =
        new ByteArrayInputStream(members) {
          @Override
          public synchronized int read(byte[] bytes, int offset, int length) {
            return super.read(bytes, offset, Math.min(1, length));
          }
        };
    assertThat(read(FeedFormat.CSV, slow)).hasSize(2);
  }

  @Test
  void readsTheOptionalFieldsOfACompressedHeader() throws IOException {
    byte[] plain = gzip((HEADER + LINE).getBytes(UTF_8));
    byte[] head = {0x1F, (byte) 0x8B, 8, 0x1E, 0, 0, 0, 0, 0, 0, 2, 0, 'x', 'y', 'n', 0, 'c', 0};
    CRC32 sum = new CRC32();
    sum.update(head);
    byte[] checked = {(byte) sum.getValue(), (byte) (sum.getValue() >> 8)};
    byte[] rest = Arrays.copyOfRange(plain, 10, plain.length);
    assertThat(read(FeedFormat.CSV, new ByteArrayInputStream(joined(head, checked, rest))))
        .containsExactly(new FeedRecord.Accepted(2, PAYMENT));
    checked[0] ^= 1;
    assertThatThrownBy(
            () -> read(FeedFormat.CSV, new ByteArrayInputStream(joined(head, checked, rest))))
        .isInstanceOf(FeedException.class);
  }

  @Test
  void refusesWhatFollowsACompressedMemberAndIsNone() throws IOException {
    byte[] first = gzip((HEADER + LINE).getBytes(UTF_8));
    byte[] second = gzip(LINE.getBytes(UTF_8));
    byte[] wrongMagic = second.clone();
    wrongMagic[0] ^= 1;
    byte[] wrongLength = second.clone();
    wrongLength[wrongLength.length - 1] ^= 1;
    for (byte[] rest :
        List.of(
            wrongMagic,
            wrongLength,
            Arrays.copyOf(second, 1),
            Arrays.copyOf(second, 5),
            Arrays.copyOf(second, second.length - 3),
            new byte[512],
            new byte[] {'x'})) {
      byte[] damaged = joined(first, rest);
      assertThatThrownBy(() -> read(FeedFormat.CSV, new ByteArrayInputStream(damaged)))
          .isInstanceOf(FeedException.class)
          .hasMessage("its compressed data is damaged or ends early");
    }
  }

  @Test
  void passesABrokenConnectionOnAsWhatItIs() {
    InputStream broken =
        new InputStream() {
          @Override
          public int read() throws IOException {
            throw new EOFException("connection lost");
          }

          @Override
          public int read(byte[] bytes, int offset, int length) throws IOException {
            throw new EOFException("connection lost");
          }
        };
    assertThatThrownBy(() -> read(FeedFormat.NDJSON, broken))
        .isInstanceOf(EOFException.class)
        .hasMessage("connection lost");
  }

  @Test
  void idThatLooksLikeAnotherOneIsRejected() throws IOException {
    for (String id :
        List.of(
            " p1",
            "p1 ",
            "p1\u00A0",
            "\u00A0p1",
            "p\u200B1",
            "\uFEFFp1",
            "p1\u2060",
            "p1\u202E",
            "p\u00AD1",
            "p1\u3000",
            "p\u2009x",
            "p1\uFE0F",
            "p\u3164",
            "e\u0301",
            "p1\u2028")) {
      FeedRecord record = ndjson(json("\"" + id + "\"", "1")).getFirst();
      assertThat(record)
          .as("%s", id.codePoints().boxed().toList())
          .isInstanceOfSatisfying(
              FeedRecord.Rejected.class,
              rejected -> assertThat(rejected.reason()).startsWith("paymentId must "));
    }
    for (String id : List.of("p 1", "\u00E9", "order/7#\u00FC", "\uD83D\uDCB6-1")) {
      assertThat(ndjson(json("\"" + id + "\"", "1")).getFirst())
          .as(id)
          .isInstanceOf(FeedRecord.Accepted.class);
    }
  }

  @Test
  void endsAFeedThatIsTooLong() throws IOException {
    byte[] feed = "{}\n{}\n{}\n".getBytes(UTF_8);
    FeedReader reader =
        FeedReader.open(new ByteArrayInputStream(feed), FeedFormat.NDJSON, FeedTotals.UNKNOWN, 2);
    reader.next();
    reader.next();
    assertThatThrownBy(reader::next)
        .isInstanceOf(FeedException.class)
        .hasMessage("it has more than 2 records");
  }

  @Test
  void handsRecordsOnOneAtATime() throws IOException {
    byte[] feed = "{}\n{}\n{}\n".getBytes(UTF_8);
    Iterator<FeedRecord> records =
        FeedReader.open(new ByteArrayInputStream(feed), FeedFormat.NDJSON, FeedTotals.UNKNOWN, 2)
            .records();
    assertThat(records.next().line()).isEqualTo(1);
    assertThat(records.hasNext()).isTrue();
    assertThat(records.hasNext()).isTrue();
    assertThat(records.next().line()).isEqualTo(2);
    assertThatThrownBy(records::hasNext)
        .isInstanceOf(UncheckedIOException.class)
        .hasCauseInstanceOf(FeedException.class);
  }

  @Test
  void countsTheBytesThatItHasRead() throws IOException {
    String feed = HEADER + LINE + LINE;
    FeedReader reader =
        FeedReader.open(new ByteArrayInputStream(feed.getBytes(UTF_8)), FeedFormat.CSV);
    assertThat(reader.consumedBytes()).isEqualTo(HEADER.length());
    reader.next();
    assertThat(reader.consumedBytes()).isEqualTo(HEADER.length() + LINE.length());
  }

  @Test
  void knowsTheFormatByTheName() {
    assertThat(FeedFormat.ofFileName("a/FEED.CSV")).contains(FeedFormat.CSV);
    assertThat(FeedFormat.ofFileName("feed.csv.gz")).contains(FeedFormat.CSV);
    assertThat(FeedFormat.ofFileName("feed.jsonl.gz")).contains(FeedFormat.NDJSON);
    assertThat(FeedFormat.ofFileName("feed.gz")).isEmpty();
  }

  private static void headerRefused(String feed, String message) {
    assertThatThrownBy(() -> csv(feed))
        .isInstanceOf(FeedException.class)
        .hasMessageContaining(message);
  }

  private static void assertReason(String record, String reason) throws IOException {
    assertThat(ndjson(record + "\n"))
        .as(reason)
        .hasSize(1)
        .first()
        .isInstanceOfSatisfying(
            FeedRecord.Rejected.class,
            rejected -> assertThat(rejected.reason()).startsWith(reason));
  }

  private static Optional<String> amountProblem(String amount, String currency) throws IOException {
    return switch (csv(HEADER + "p," + amount + "," + currency + ",A,B,,,\n").getFirst()) {
      case FeedRecord.Accepted accepted -> Optional.empty();
      case FeedRecord.Rejected rejected -> Optional.of(rejected.reason());
    };
  }

  private static BigDecimal amountOf(FeedRecord record) {
    return ((FeedRecord.Accepted) record).payment().amount();
  }

  private static String json(String id, String amount) {
    return "{\"paymentId\":%s,\"amount\":%s,\"currency\":\"EUR\",\"debtorAccount\":\"A\",\"creditorAccount\":\"B\"}"
        .formatted(id, amount);
  }

  private static byte[] flipped(byte[] bytes) {
    byte[] copy = bytes.clone();
    copy[copy.length / 2] ^= 0x55;
    return copy;
  }

  private static byte[] joined(byte[]... parts) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.write(part);
    }
    return out.toByteArray();
  }

  private static byte[] gzip(byte[] bytes) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(bytes);
    }
    return out.toByteArray();
  }

  static List<FeedRecord> csv(String text) throws IOException {
    return read(FeedFormat.CSV, new ByteArrayInputStream(text.getBytes(UTF_8)));
  }

  private static List<FeedRecord> ndjson(String text) throws IOException {
    String lines = text.endsWith("\n") ? text : text + "\n";
    return read(FeedFormat.NDJSON, new ByteArrayInputStream(lines.getBytes(UTF_8)));
  }

  static List<FeedRecord> read(FeedFormat format, InputStream in) throws IOException {
    FeedReader reader = FeedReader.open(in, format);
    List<FeedRecord> records = new ArrayList<>();
    for (Optional<FeedRecord> next = reader.next(); next.isPresent(); next = reader.next()) {
      records.add(next.get());
    }
    return records;
  }
}
