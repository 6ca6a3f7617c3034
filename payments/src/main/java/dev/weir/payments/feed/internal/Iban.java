package dev.weir.payments.feed.internal;

import java.util.Locale;

/** The check digits of international bank account numbers (ISO 13616). */
final class Iban {
  /** A country, two check digits, and the account of up to 30 characters; the shortest has 11. */
  private static final int MIN_LENGTH = 15;

  private static final int MAX_LENGTH = 34;

  private Iban() {}

  /**
   * Returns true if an account looks like an IBAN, printed in groups or not, and its check digits
   * are wrong. Other accounts have no check digits that are known here.
   */
  static boolean isMistyped(String account) {
    String compact = account.replace(" ", "").toUpperCase(Locale.ROOT);
    return hasShape(compact) && remainder(compact) != 1;
  }

  private static boolean hasShape(String text) {
    if (text.length() < MIN_LENGTH || text.length() > MAX_LENGTH) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      boolean fits =
          switch (i) {
            case 0, 1 -> isLetter(text.charAt(i));
            case 2, 3 -> isDigit(text.charAt(i));
            default -> isLetter(text.charAt(i)) || isDigit(text.charAt(i));
          };
      if (!fits) {
        return false;
      }
    }
    return true;
  }

  private static boolean isLetter(char c) {
    return c >= 'A' && c <= 'Z';
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /** Returns the IBAN of an account, with the check digits that it needs. */
  static String of(String country, String account) {
    int check = 98 - remainder(country + "00" + account);
    return country + (check < 10 ? "0" : "") + check + account;
  }

  /** Returns the remainder by 97, with letters as numbers from 10 and the first four last. */
  private static int remainder(String iban) {
    return remainder(iban, 0, 4, remainder(iban, 4, iban.length(), 0));
  }

  private static int remainder(String iban, int from, int until, int before) {
    int remainder = before;
    for (int i = from; i < until; i++) {
      char c = iban.charAt(i);
      remainder = (isDigit(c) ? remainder * 10 + c - '0' : remainder * 100 + c - 'A' + 10) % 97;
    }
    return remainder;
  }
}
