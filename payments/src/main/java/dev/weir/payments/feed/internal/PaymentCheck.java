package dev.weir.payments.feed.internal;

import dev.weir.internal.Micros;
import dev.weir.internal.SlotNames;
import dev.weir.internal.UnicodeText;
import dev.weir.payments.FeedRecord;
import dev.weir.payments.Payment;
import java.math.BigDecimal;
import java.text.Normalizer;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Currency;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Checks one record, field by field, and collects every reason to reject it. */
final class PaymentCheck {
  static final int MAX_ACCOUNT_LENGTH = 34;
  static final int MAX_REFERENCE_LENGTH = 140;

  /** As many digits as an ISO 20022 message holds. */
  static final int MAX_AMOUNT_DIGITS = 18;

  private static final int MAX_TIME_LENGTH = 40;
  private static final Pattern POINT_WITHOUT_DIGITS = Pattern.compile("\\.([^0-9]|$)");

  /** Fraction digits by code, without the codes that are no money, such as that of gold. */
  private static final Map<String, Integer> FRACTION_DIGITS =
      Currency.getAvailableCurrencies().stream()
          .filter(currency -> currency.getDefaultFractionDigits() >= 0)
          .collect(
              Collectors.toUnmodifiableMap(
                  Currency::getCurrencyCode, Currency::getDefaultFractionDigits));

  private final RawPayment raw;
  private final List<String> reasons = new ArrayList<>();

  private PaymentCheck(RawPayment raw) {
    this.raw = raw;
  }

  /**
   * Returns the payment of a record, or every reason why it has none.
   *
   * @param record the record as it is in the feed
   */
  static FeedRecord of(long line, RawPayment raw, String record) {
    PaymentCheck check = new PaymentCheck(raw);
    String paymentId = check.paymentId();
    boolean idIsValid = check.reasons.isEmpty();
    BigDecimal amount = check.amount();
    String debtor = check.account(FeedField.DEBTOR_ACCOUNT);
    String creditor = check.account(FeedField.CREDITOR_ACCOUNT);
    Optional<Instant> time = check.requestedTime();
    String reference = check.text(FeedField.REFERENCE, 0, MAX_REFERENCE_LENGTH);
    String configName = check.configName();
    if (!check.reasons.isEmpty()) {
      return rejected(line, String.join("; ", check.reasons), idIsValid ? paymentId : "", record);
    }
    return new FeedRecord.Accepted(
        line,
        new Payment(
            paymentId,
            amount,
            raw.get(FeedField.CURRENCY),
            debtor,
            creditor,
            time,
            reference,
            configName));
  }

  /** Returns the amount of a record, whatever else is wrong with it; empty if it has none. */
  static Optional<BigDecimal> amount(RawPayment raw) {
    Integer digits = FRACTION_DIGITS.get(raw.get(FeedField.CURRENCY));
    String text = raw.get(FeedField.AMOUNT);
    return digits == null || amountReason(text, digits) != null
        ? Optional.empty()
        : Optional.of(new BigDecimal(text).setScale(digits));
  }

  /** Returns a rejected record with its text cut to what is worth keeping. */
  static FeedRecord.Rejected rejected(long line, String reason, String paymentId, String record) {
    return new FeedRecord.Rejected(line, reason, paymentId, Excerpt.ofRecord(record));
  }

  private String paymentId() {
    String id = text(FeedField.PAYMENT_ID, 1, Payment.MAX_ID_LENGTH);
    if (reasons.isEmpty()) {
      SlotNames.eventIdProblem(id)
          .ifPresent(problem -> reasons.add(FeedField.PAYMENT_ID.text() + " " + problem));
    }
    if (reasons.isEmpty() && !isUnmistakable(id)) {
      reasons.add(
          "paymentId must have no space at its ends, and no characters that look like others or"
              + " cannot be seen, such as no-break and zero-width spaces");
    }
    if (id.startsWith(Payment.RESERVED_PREFIX)) {
      reasons.add("paymentId must not start with " + Payment.RESERVED_PREFIX);
    }
    if (id.equals(Payment.RESERVED_ID)) {
      reasons.add("paymentId must not be " + Payment.RESERVED_ID);
    }
    return id;
  }

  /**
   * Returns false for an id that people take for another one. Such an id would be another payment,
   * and the payment would be made twice.
   */
  private static boolean isUnmistakable(String id) {
    return id.charAt(0) != ' '
        && id.charAt(id.length() - 1) != ' '
        && id.codePoints().allMatch(PaymentCheck::isVisible)
        && Normalizer.isNormalized(id, Normalizer.Form.NFC);
  }

  private static boolean isVisible(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.PRIVATE_USE,
          Character.UNASSIGNED ->
          false;
      case Character.SPACE_SEPARATOR -> codePoint == ' ';
      // Hangul fillers and variation selectors are letters and marks that cannot be seen.
      default ->
          !(codePoint == 0x115F
              || codePoint == 0x1160
              || codePoint == 0x3164
              || codePoint == 0xFFA0
              || codePoint == 0x2800
              || codePoint == 0x034F
              || (codePoint >= 0xFE00 && codePoint <= 0xFE0F)
              || (codePoint >= 0xE0100 && codePoint <= 0xE01EF));
    };
  }

  /** Returns the amount with as many fraction digits as its currency has, so that 5 is 5.00. */
  private BigDecimal amount() {
    Integer digits = FRACTION_DIGITS.get(raw.get(FeedField.CURRENCY));
    String text = raw.get(FeedField.AMOUNT);
    String reason = amountReason(text, digits);
    if (reason != null) {
      reasons.add(FeedField.AMOUNT.text() + " " + reason);
    }
    if (digits == null) {
      reasons.add(
          raw.get(FeedField.CURRENCY).isEmpty()
              ? "currency is missing"
              : "currency must be a code of ISO 4217");
    }
    return reason != null || digits == null
        ? BigDecimal.ONE
        : new BigDecimal(text).setScale(digits);
  }

  private static @Nullable String amountReason(String text, @Nullable Integer fractionDigits) {
    if (text.isEmpty()) {
      return "is missing";
    }
    // Bounded first: parsing takes time that grows with the square of the length.
    if (text.length() > MAX_AMOUNT_DIGITS + 1) {
      return "must have up to " + MAX_AMOUNT_DIGITS + " digits";
    }
    if (!isDecimal(text)) {
      return "must be a decimal number such as 12.50";
    }
    BigDecimal amount = new BigDecimal(text);
    if (amount.signum() == 0) {
      return "must be above 0";
    }
    if (fractionDigits != null && amount.scale() > fractionDigits) {
      return "must have up to %d fraction digits in this currency, not %d"
          .formatted(fractionDigits, amount.scale());
    }
    // As written, with leading zeros, and with the fraction digits that the currency adds.
    int point = text.indexOf('.');
    int integerDigits = point < 0 ? text.length() : point;
    return fractionDigits != null && integerDigits + fractionDigits > MAX_AMOUNT_DIGITS
        ? "must have up to " + MAX_AMOUNT_DIGITS + " digits"
        : null;
  }

  /** Returns true for digits, and perhaps a point with digits after it. */
  private static boolean isDecimal(String text) {
    int point = text.indexOf('.');
    return point < 0
        ? areDigits(text, 0, text.length())
        : areDigits(text, 0, point) && areDigits(text, point + 1, text.length());
  }

  private static boolean areDigits(String text, int from, int until) {
    for (int i = from; i < until; i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return from < until;
  }

  private String account(FeedField field) {
    String account = text(field, 1, MAX_ACCOUNT_LENGTH);
    if (Iban.isMistyped(account)) {
      reasons.add(field.text() + " looks like an IBAN, but its check digits are wrong");
    }
    return account;
  }

  /** Returns the time, not before it in whole microseconds, which is what stores keep. */
  private Optional<Instant> requestedTime() {
    String text = raw.get(FeedField.REQUESTED_TIME);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    try {
      if (text.length() <= MAX_TIME_LENGTH && !POINT_WITHOUT_DIGITS.matcher(text).find()) {
        Instant time = OffsetDateTime.parse(text).toInstant();
        if (Micros.inRange(time)) {
          return Optional.of(Micros.instant(Micros.ceil(time)));
        }
      }
    } catch (DateTimeException notTime) {
      // Reported below, like a time that is out of range.
    }
    reasons.add(
        "requestedTime must be a time with an offset such as 2026-06-01T12:00:00+02:00, in the"
            + " years 1 to 9999");
    return Optional.empty();
  }

  private String configName() {
    String name = raw.get(FeedField.CONFIG_NAME);
    if (!name.isEmpty()) {
      SlotNames.configNameProblem(name)
          .ifPresent(problem -> reasons.add(FeedField.CONFIG_NAME.text() + " " + problem));
    }
    return name;
  }

  private String text(FeedField field, int minLength, int maxLength) {
    String text = raw.get(field);
    if (text.length() < minLength) {
      reasons.add(field.text() + " is missing");
    } else if (text.length() > maxLength) {
      reasons.add(
          "%s must have up to %d characters, not %d"
              .formatted(field.text(), maxLength, text.length()));
    } else if (minLength > 0 && text.isBlank()) {
      reasons.add(field.text() + " must not be blank");
    } else if (!isUsable(text)) {
      reasons.add(field.text() + " must not contain control characters or unpaired surrogates");
    }
    return text;
  }

  private static boolean isUsable(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isISOControl(text.charAt(i))) {
        return false;
      }
    }
    return UnicodeText.isValid(text);
  }
}
