package dev.weir.store.tck.internal;

import java.util.List;

/** Names that have a meaning in some store, or that a store may confuse with each other. */
public final class NastyNames {
  public static final List<String> ALL =
      List.of(
          "user:101",
          "user:102",
          "USER:101",
          " user:101",
          "user:101 ",
          "{user}:101",
          "{}",
          "}{",
          "{a}{b}",
          "it's",
          "\"quoted\"",
          "back\\slash",
          "%s$1?:p",
          "*",
          "user:*",
          "[a-z]",
          "tab\there",
          "line\nbreak",
          "\u0001",
          "null",
          "0",
          "00",
          "\u00e9",
          "e\u0301",
          "\u65e5\u672c\u8a9e",
          "\ud83d\ude80",
          "x".repeat(254) + "a",
          "x".repeat(254) + "b",
          "\u20ac".repeat(255));

  private NastyNames() {}
}
