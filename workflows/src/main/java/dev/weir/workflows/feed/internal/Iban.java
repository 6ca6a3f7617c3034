package dev.weir.workflows.feed.internal;

import java.util.Locale;
import java.util.regex.Pattern;

/** The check digits of international bank account numbers (ISO 13616). */
final class Iban {
  /** A country, two check digits, and the account of up to 30 characters; the shortest has 11. */
  private static final Pattern SHAPE = Pattern.compile("[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}");

  private Iban() {}

  /**
   * Returns true if an account looks like an IBAN, printed in groups or not, and its check digits
   * are wrong. Other accounts have no check digits that are known here.
   */
  static boolean isMistyped(String account) {
    String compact = account.replace(" ", "").toUpperCase(Locale.ROOT);
    return SHAPE.matcher(compact).matches() && remainder(compact) != 1;
  }

  /** Returns the IBAN of an account, with the check digits that it needs. */
  static String of(String country, String account) {
    int check = 98 - remainder(country + "00" + account);
    return country + (check < 10 ? "0" : "") + check + account;
  }

  /** Returns the remainder by 97, with letters as numbers from 10 and the first four last. */
  private static int remainder(String iban) {
    int remainder = 0;
    for (int i = 0; i < iban.length(); i++) {
      int value = Character.digit(iban.charAt((i + 4) % iban.length()), 36);
      remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
    }
    return remainder;
  }
}
