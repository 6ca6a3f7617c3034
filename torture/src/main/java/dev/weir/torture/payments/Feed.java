package dev.weir.torture.payments;

import java.math.BigDecimal;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A feed of payments. What a payment has in it depends on its id alone.
 *
 * @param requestedTime of its payments; empty means now
 * @param totals what it is said to have
 */
record Feed(
    String id, String configName, List<String> paymentIds, String requestedTime, Totals totals) {
  private static final int AMOUNTS = 900;

  /** What a feed is said to have: nothing, what it has, or something else. */
  enum Totals {
    NONE,
    RIGHT,
    WRONG
  }

  /** Where it is sent to. */
  String path() {
    String path = PaymentLoad.FEEDS + "?feedId=" + id + "&configName=" + configName;
    return switch (totals) {
      case NONE -> path;
      case RIGHT -> path + "&records=" + paymentIds.size() + "&controlSum=EUR:" + sum();
      case WRONG -> path + "&controlSum=EUR:" + sum().add(BigDecimal.ONE);
    };
  }

  private BigDecimal sum() {
    return paymentIds.stream()
        .map(paymentId -> new BigDecimal(amount(paymentId)))
        .reduce(BigDecimal.ZERO, BigDecimal::add);
  }

  String csv() {
    return paymentIds.stream()
        .map(
            paymentId ->
                "%s,%s,EUR,DE89370400440532013000,GB29NWBK60161331926819,%s\n"
                    .formatted(paymentId, amount(paymentId), requestedTime))
        .collect(
            Collectors.joining(
                "", "paymentId,amount,currency,debtorAccount,creditorAccount,requestedTime\n", ""));
  }

  /** The amount of a payment. */
  static String amount(String paymentId) {
    return Math.floorMod(paymentId.hashCode(), AMOUNTS) + 100 + ".50";
  }
}
