package dev.weir.engine.limits;

/** Different texts for which {@link String#hashCode} is the same. */
final class SameHash {
  private static final int PARTS = 10;

  private SameHash() {}

  /** One of 1,024 texts. */
  static String text(int number) {
    StringBuilder text = new StringBuilder();
    for (int part = 0; part < PARTS; part++) {
      text.append((number >>> part & 1) == 0 ? "Aa" : "BB");
    }
    return text.toString();
  }
}
