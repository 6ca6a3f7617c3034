package dev.weir.torture.payments;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A feed of payments. What a payment has in it depends on its id alone.
 *
 * @param requestedTime of its payments; empty means now
 */
record Feed(String id, String configName, List<String> paymentIds, String requestedTime) {
  private static final int AMOUNTS = 900;

  /** Where it is sent to. */
  String path() {
    return PaymentLoad.FEEDS + "?feedId=" + id + "&configName=" + configName;
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
