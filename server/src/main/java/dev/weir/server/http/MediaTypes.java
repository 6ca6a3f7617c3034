package dev.weir.server.http;

import io.micronaut.http.HttpRequest;

/** Media types that Micronaut has no constant for. */
public final class MediaTypes {
  /** One JSON document per line. */
  public static final String NDJSON = "application/x-ndjson";

  public static final String YAML = "application/yaml";

  private MediaTypes() {}

  /** Returns true if the request declares its body as {@link #NDJSON}. */
  public static boolean isNdjson(HttpRequest<?> request) {
    return request.getContentType().filter(type -> type.getName().equals(NDJSON)).isPresent();
  }
}
