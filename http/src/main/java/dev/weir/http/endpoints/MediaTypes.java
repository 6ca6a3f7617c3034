package dev.weir.http.endpoints;

import io.micronaut.http.HttpRequest;

/** Media types that Micronaut has no constant for. */
public final class MediaTypes {
  /** One JSON document per line. */
  public static final String NDJSON = "application/x-ndjson";

  public static final String CSV = "text/csv";

  public static final String SVG = "image/svg+xml";

  public static final String MARKDOWN = "text/markdown";

  public static final String YAML = "application/yaml";

  private MediaTypes() {}

  /** Returns true if the request declares its body as {@link #NDJSON}. */
  public static boolean isNdjson(HttpRequest<?> request) {
    return is(request, NDJSON);
  }

  /** Returns true if the request declares its body as {@link #CSV}. */
  public static boolean isCsv(HttpRequest<?> request) {
    return is(request, CSV);
  }

  private static boolean is(HttpRequest<?> request, String name) {
    return request.getContentType().filter(type -> type.getName().equals(name)).isPresent();
  }
}
