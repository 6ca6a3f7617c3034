package dev.weir.http.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.util.BufferRecycler;
import com.fasterxml.jackson.core.util.ByteArrayBuilder;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import com.fasterxml.jackson.core.util.RecyclerPool;
import dev.weir.internal.Micros;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Writes JSON, and opens streaming parsers of it: no reflection. */
public final class Json {
  /** A factory with buffers per thread, which virtual threads cannot reuse. */
  private static final JsonFactory OF_THREADS = factory(JsonRecyclerPools.threadLocalPool());

  /** A factory with one buffer pool for all threads. */
  private static final JsonFactory OF_VIRTUAL_THREADS =
      factory(JsonRecyclerPools.sharedConcurrentDequePool());

  private Json() {}

  /** Does not intern field names: callers choose them, and they are not worth caching. */
  private static JsonFactory factory(RecyclerPool<BufferRecycler> buffers) {
    return JsonFactory.builder()
        .recyclerPool(buffers)
        .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
        .build();
  }

  private static JsonFactory factory() {
    return Thread.currentThread().isVirtual() ? OF_VIRTUAL_THREADS : OF_THREADS;
  }

  /** Writes a part of a document. */
  public interface Part {
    void write(JsonGenerator json) throws IOException;
  }

  public static byte[] bytes(Part part) {
    try (ByteArrayBuilder out = new ByteArrayBuilder(256)) {
      try (JsonGenerator json = generator(out)) {
        part.write(json);
      }
      return out.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory cannot fail", e);
    }
  }

  public static JsonGenerator generator(ByteArrayBuilder out) throws IOException {
    return factory().createGenerator(out);
  }

  /** Returns a streaming parser of a document. */
  public static JsonParser parser(byte[] bytes) throws IOException {
    return factory().createParser(bytes);
  }

  /** Returns a streaming parser of a part of some bytes. */
  public static JsonParser parser(byte[] bytes, int from, int length) throws IOException {
    return factory().createParser(bytes, from, length);
  }

  /** Writes microseconds as seconds, without rounding. */
  public static void writeSeconds(JsonGenerator json, String field, long micros)
      throws IOException {
    json.writeFieldName(field);
    if (micros % Micros.PER_SECOND == 0) {
      json.writeNumber(micros / Micros.PER_SECOND);
    } else {
      json.writeNumber(decimal(micros));
    }
  }

  /** Returns fractional seconds without trailing zeros. */
  private static String decimal(long micros) {
    // The leading one preserves the zeros after the decimal point.
    String digits = Long.toString(Micros.PER_SECOND + micros % Micros.PER_SECOND);
    int end = digits.length();
    while (digits.charAt(end - 1) == '0') {
      end--;
    }
    return new StringBuilder()
        .append(micros / Micros.PER_SECOND)
        .append('.')
        .append(digits, 1, end)
        .toString();
  }
}
