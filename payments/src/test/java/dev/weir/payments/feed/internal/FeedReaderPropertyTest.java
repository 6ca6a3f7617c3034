package dev.weir.payments.feed.internal;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.payments.FeedRecord;
import dev.weir.payments.Payment;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.Currency;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** The reader against a naive one, and against bytes of any kind. */
final class FeedReaderPropertyTest {

  /** The fields of a record in the order of the header. */
  record Fields(
      String id,
      String amount,
      String currency,
      String debtor,
      String creditor,
      String time,
      String reference,
      String config) {
    List<String> values() {
      return List.of(id, amount, currency, debtor, creditor, time, reference, config);
    }
  }

  @Property
  void acceptsInBothFormatsWhatTheNaiveReaderAccepts(@ForAll("records") List<Fields> records)
      throws IOException {
    List<FeedRecord> csv = read(FeedFormat.CSV, csv(records));
    List<FeedRecord> ndjson = read(FeedFormat.NDJSON, ndjson(records));
    assertThat(csv).hasSameSizeAs(records);
    assertThat(ndjson).hasSameSizeAs(records);
    for (int i = 0; i < records.size(); i++) {
      Optional<Payment> expected = naive(records.get(i));
      assertThat(payment(csv.get(i))).as("%s", records.get(i)).isEqualTo(expected);
      assertThat(payment(ndjson.get(i))).as("%s", records.get(i)).isEqualTo(expected);
      assertThat(ndjson.get(i).line()).isEqualTo(i + 1);
      if (csv.get(i) instanceof FeedRecord.Rejected inCsv
          && ndjson.get(i) instanceof FeedRecord.Rejected inJson) {
        // In CSV, a text with line breaks makes a record of several lines.
        assertThat(inCsv.reason().replaceFirst("; lines .*", "")).isEqualTo(inJson.reason());
        assertThat(inCsv.paymentId()).isEqualTo(inJson.paymentId());
      }
    }
  }

  @Property
  void survivesBytesOfAnyKind(@ForAll("hostile") byte[] bytes, @ForAll FeedFormat format) {
    try {
      List<FeedRecord> records = FeedReaderTest.read(format, new ByteArrayInputStream(bytes));
      long line = 0;
      for (FeedRecord record : records) {
        assertThat(record.line()).isGreaterThan(line);
        line = record.line();
        if (record instanceof FeedRecord.Rejected rejected) {
          assertThat(rejected.reason()).isNotBlank().doesNotContain("\u0000");
          assertThat(rejected.record()).doesNotContain("\u0000");
        }
      }
    } catch (FeedException refused) {
      assertThat(refused.getMessage()).isNotBlank();
    } catch (IOException other) {
      throw new AssertionError("a feed in memory fails only as a feed", other);
    }
  }

  @Provide
  Arbitrary<List<Fields>> records() {
    Arbitrary<String> ids =
        Arbitraries.of("p1", "pay \"2\", ü", "x".repeat(200), "x".repeat(201), "", " ", "a\tb");
    Arbitrary<String> amounts =
        Arbitraries.of(
            "1",
            "12.50",
            "0.001",
            "00012.5",
            "0",
            "0.00",
            "-1",
            "1e2",
            "1.5.2",
            "",
            "twelve",
            "9999999999999999",
            "0000000000000001",
            "00000000000000001",
            "000000000000000001",
            "0000000000000000001",
            "99999999999999999999");
    Arbitrary<String> currencies = Arbitraries.of("EUR", "JPY", "KWD", "eur", "XXX", "", "EURO");
    Arbitrary<String> accounts =
        Arbitraries.of(
            "DE89370400440532013000",
            "DE89370400440532013001",
            "ACC 1",
            "7".repeat(34),
            "7".repeat(35),
            "");
    Arbitrary<String> times =
        Arbitraries.of(
            "",
            "2026-06-01T12:00:00Z",
            "2026-06-01T12:00:00.123456+02:00",
            "2026-06-01T12:00:00",
            "2026-13-01T12:00:00Z",
            "noon");
    Arbitrary<String> references =
        Arbitraries.of("", "Rent, June", "\"quoted\"", "r".repeat(140), "r".repeat(141), "a\nb");
    Arbitrary<String> configs = Arbitraries.of("", "bulk", "no name!");
    // Each field is usually right: otherwise hardly any record would be accepted.
    return Combinators.combine(
            usually(ids, "p1"),
            usually(amounts, "12.5"),
            usually(currencies, "EUR"),
            usually(accounts, "ACC"),
            usually(accounts, "DE89370400440532013000"),
            usually(times, ""),
            usually(references, "Rent"),
            usually(configs, ""))
        .as(Fields::new)
        .list()
        .ofMaxSize(12);
  }

  private static Arbitrary<String> usually(Arbitrary<String> any, String valid) {
    return Arbitraries.frequencyOf(Tuple.of(3, Arbitraries.just(valid)), Tuple.of(1, any));
  }

  /** Bytes at random, and pieces of feeds in a random order. */
  @Provide
  Arbitrary<byte[]> hostile() {
    Arbitrary<String> piece =
        Arbitraries.of(
            "paymentId,amount,currency,debtorAccount,creditorAccount\n",
            "p,1,EUR,A,B\n",
            "{\"paymentId\":\"p\",",
            "\"amount\":1}",
            "\"",
            "\"\"",
            ",",
            "\n",
            "\r\n",
            "\r",
            "{",
            "}",
            "\u0000",
            "\u00FF",
            "\u001F\u008B",
            "\u00EF\u00BB\u00BF",
            "\\ud800",
            "9".repeat(50));
    Arbitrary<byte[]> pieces =
        piece.list().ofMaxSize(40).map(list -> String.join("", list).getBytes(ISO_8859_1));
    return Arbitraries.oneOf(pieces, Arbitraries.bytes().array(byte[].class).ofMaxSize(200));
  }

  /** The rules of a feed, written down once more, as plainly as possible. */
  private static Optional<Payment> naive(Fields fields) {
    boolean valid =
        isText(fields.id(), 1, 200)
            && isAmount(fields.amount(), fields.currency())
            && isAccount(fields.debtor())
            && isAccount(fields.creditor())
            && isTime(fields.time())
            && isText(fields.reference(), 0, 140)
            && fields.config().matches("|[a-z]+");
    if (!valid) {
      return Optional.empty();
    }
    return Optional.of(
        new Payment(
            fields.id(),
            new BigDecimal(fields.amount())
                .setScale(Currency.getInstance(fields.currency()).getDefaultFractionDigits()),
            fields.currency(),
            fields.debtor(),
            fields.creditor(),
            fields.time().isEmpty()
                ? Optional.empty()
                : Optional.of(OffsetDateTime.parse(fields.time()).toInstant()),
            fields.reference(),
            fields.config()));
  }

  private static boolean isText(String text, int min, int max) {
    return text.strip().length() >= min
        && text.length() <= max
        && text.chars().noneMatch(Character::isISOControl);
  }

  private static boolean isAmount(String amount, String currency) {
    if (!currency.matches("EUR|JPY|KWD")) {
      return false;
    }
    int digits = currency.equals("EUR") ? 2 : currency.equals("JPY") ? 0 : 3;
    String decimals = digits == 0 ? "" : "(\\.[0-9]{1," + digits + "})?";
    return amount.matches("[0-9]+" + decimals)
        && new BigDecimal(amount).compareTo(BigDecimal.ZERO) > 0
        && amount.replaceAll("\\..*", "").length() + digits <= 18;
  }

  private static boolean isAccount(String account) {
    if (account.isEmpty() || account.length() > 34) {
      return false;
    }
    if (!account.startsWith("DE")) {
      return true;
    }
    BigInteger number = new BigInteger(account.substring(4) + "1314" + account.substring(2, 4));
    return number.mod(BigInteger.valueOf(97)).intValue() == 1;
  }

  private static boolean isTime(String time) {
    try {
      return time.isEmpty() || OffsetDateTime.parse(time).toInstant() != null;
    } catch (DateTimeException invalid) {
      return false;
    }
  }

  private static Optional<Payment> payment(FeedRecord record) {
    return record instanceof FeedRecord.Accepted accepted
        ? Optional.of(accepted.payment())
        : Optional.empty();
  }

  /** Quotes every field, which is always right. */
  private static String csv(List<Fields> records) {
    return "paymentId,amount,currency,debtorAccount,creditorAccount,requestedTime,reference,configName\n"
        + records.stream()
            .map(
                fields ->
                    fields.values().stream()
                        .map(value -> "\"" + value.replace("\"", "\"\"") + "\"")
                        .collect(Collectors.joining(",", "", "\n")))
            .collect(Collectors.joining());
  }

  private static String ndjson(List<Fields> records) {
    List<String> names =
        List.of(
            "paymentId",
            "amount",
            "currency",
            "debtorAccount",
            "creditorAccount",
            "requestedTime",
            "reference",
            "configName");
    StringBuilder text = new StringBuilder();
    for (Fields fields : records) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < names.size(); i++) {
        line.append(line.isEmpty() ? "" : ",")
            .append('"')
            .append(names.get(i))
            .append("\":\"")
            .append(
                fields
                    .values()
                    .get(i)
                    .replace("\\", "\\\\")
                    .replace("\"", "\\\"")
                    .replace("\n", "\\n")
                    .replace("\t", "\\t"))
            .append('"');
      }
      text.append('{').append(line).append("}\n");
    }
    return text.toString();
  }

  private static List<FeedRecord> read(FeedFormat format, String text) throws IOException {
    return FeedReaderTest.read(format, new ByteArrayInputStream(text.getBytes(UTF_8)));
  }
}
