package dev.weir.payments.feed.internal;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * How many records a feed has and what their amounts add up to, as its sender says or as they were
 * read. A feed that was cut off on its way differs from what its sender says.
 *
 * @param records number of records, right and wrong ones; empty if it is not said
 * @param controlSum the sum of the amounts by currency, of all records whose amount and currency
 *     can be read; empty if it is not said
 */
public record FeedTotals(OptionalLong records, Optional<Map<String, BigDecimal>> controlSum) {
  /** Nothing is said. */
  public static final FeedTotals UNKNOWN = new FeedTotals(OptionalLong.empty(), Optional.empty());

  private static final int MAX_TEXT_LENGTH = 8_000;
  private static final Pattern SUM = Pattern.compile("[A-Z]{3}:[0-9]{1,30}(\\.[0-9]{1,4})?");

  public FeedTotals {
    controlSum = controlSum.map(Map::copyOf);
  }

  /**
   * Reads a control sum, such as {@code EUR:1234.50,USD:3.00}. Returns empty if it is none: not in
   * this form, or with a currency that is named twice.
   */
  public static Optional<Map<String, BigDecimal>> controlSum(String text) {
    if (text.length() > MAX_TEXT_LENGTH) {
      return Optional.empty();
    }
    Map<String, BigDecimal> sums = new TreeMap<>();
    for (String sum : text.split(",", -1)) {
      if (!SUM.matcher(sum).matches()
          || sums.put(sum.substring(0, 3), new BigDecimal(sum.substring(4))) != null) {
        return Optional.empty();
      }
    }
    return Optional.of(sums);
  }

  /** Returns the control sum as {@link #controlSum(String)} reads it; empty if it is not said. */
  public Optional<String> controlSumText() {
    return controlSum
        .filter(sums -> !sums.isEmpty())
        .map(
            sums ->
                new TreeMap<>(sums)
                    .entrySet().stream()
                        .map(sum -> sum.getKey() + ":" + sum.getValue().toPlainString())
                        .collect(Collectors.joining(",")));
  }

  /** Returns in what the totals of the records that were read differ; empty if in nothing. */
  Optional<String> difference(FeedTotals read) {
    if (records.isPresent() && !records.equals(read.records())) {
      return Optional.of(
          "it has %d records and was announced with %d"
              .formatted(read.records().orElse(0), records.getAsLong()));
    }
    if (controlSum.isEmpty()) {
      return Optional.empty();
    }
    Map<String, BigDecimal> announced = controlSum.get();
    Map<String, BigDecimal> added = read.controlSum().orElse(Map.of());
    TreeSet<String> currencies = new TreeSet<>(announced.keySet());
    currencies.addAll(added.keySet());
    for (String currency : currencies) {
      BigDecimal one = announced.getOrDefault(currency, BigDecimal.ZERO);
      BigDecimal other = added.getOrDefault(currency, BigDecimal.ZERO);
      if (one.compareTo(other) != 0) {
        return Optional.of(
            "its amounts in %s add up to %s and were announced with %s"
                .formatted(currency, other.toPlainString(), one.toPlainString()));
      }
    }
    return Optional.empty();
  }
}
