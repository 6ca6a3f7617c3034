package dev.weir.payments.workflows;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;

/**
 * The body of a payment API's answer.
 *
 * @param json what it says; a missing node if that is nothing, or cannot be read
 * @param problem why it cannot be read; empty if it can
 */
record AnswerBody(JsonNode json, String problem) {
  private static final int MAX_BYTES = 1 << 20;

  /** With exact amounts. What two parsers could read differently is not read. */
  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  private static final AnswerBody SILENT = new AnswerBody(MAPPER.missingNode(), "");

  /**
   * Reads a body. One without JSON says nothing, except for a page: that is what a proxy answers in
   * place of the API.
   *
   * @param type the content type; empty if it is not known
   * @param encoding how the body is compressed; empty if it is not
   */
  static AnswerBody read(InputStream body, String type, String encoding) throws IOException {
    byte[] bytes = body.readNBytes(MAX_BYTES + 1);
    String kind = type.toLowerCase(Locale.ROOT);
    if (bytes.length > MAX_BYTES) {
      return unreadable("is longer than 1 MiB");
    }
    if (bytes.length > 0 && !encoding.isEmpty() && !encoding.equalsIgnoreCase("identity")) {
      return unreadable("is compressed, which was not asked for");
    }
    if (kind.startsWith("text/html")
        || kind.startsWith("application/xhtml")
        || (firstCharacter(bytes) == '<' && !kind.contains("xml"))) {
      return unreadable("is an HTML page");
    }
    try {
      JsonNode node = MAPPER.readTree(bytes);
      return node == null || node.isMissingNode() ? SILENT : new AnswerBody(node, "");
    } catch (JsonProcessingException e) {
      return kind.contains("json") || looksLikeJson(bytes)
          ? unreadable("is not valid JSON: " + e.getOriginalMessage())
          : SILENT;
    }
  }

  private static AnswerBody unreadable(String problem) {
    return new AnswerBody(MAPPER.missingNode(), "its body " + problem);
  }

  private static boolean looksLikeJson(byte[] bytes) {
    int first = firstCharacter(bytes);
    return first == '{' || first == '[';
  }

  /** Returns the first visible ASCII character; 0 if there is none. */
  private static int firstCharacter(byte[] bytes) {
    for (byte each : bytes) {
      // Spaces, and what UTF-16 and byte order marks put before the first character.
      if (each > ' ') {
        return each;
      }
    }
    return 0;
  }
}
