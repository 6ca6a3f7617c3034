package dev.weir.payments.simulator.report;

/** Text inside XML. */
final class XmlText {
  private static final int REPLACEMENT = 0xFFFD;

  private XmlText() {}

  /** Returns the text as the content of an element or an attribute. */
  static String of(String text) {
    StringBuilder xml = new StringBuilder(text.length() + 16);
    text.codePoints().forEach(point -> append(xml, point));
    return xml.toString();
  }

  private static void append(StringBuilder xml, int point) {
    switch (point) {
      case '<' -> xml.append("&lt;");
      case '>' -> xml.append("&gt;");
      case '&' -> xml.append("&amp;");
      case '"' -> xml.append("&quot;");
      case '\'' -> xml.append("&#39;");
      default -> xml.appendCodePoint(isAllowed(point) ? point : REPLACEMENT);
    }
  }

  /** XML 1.0 has no way to write these characters, not even as a reference. */
  private static boolean isAllowed(int point) {
    return point == '\t'
        || point == '\n'
        || point == '\r'
        || (point >= 0x20 && point <= 0xD7FF)
        || (point >= 0xE000 && point <= 0xFFFD)
        || point >= 0x10000;
  }
}
