package dev.weir.http.problems;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.StoreException;
import dev.weir.Violation;
import dev.weir.http.json.Json;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A problem with one request, as defined by RFC 9457.
 *
 * @param status the HTTP status, 400 to 599
 * @param title a name of the problem, the same for every occurrence; that of the status unless an
 *     endpoint has its own
 * @param kind the kind of problem; its type is {@code urn:weir:problem:} followed by the kind. Or a
 *     registered type, in full
 * @param detail what is wrong with this request; never contains internals
 * @param errors the invalid fields; empty if the problem is not about a field
 * @param more further members
 */
public record Problem(
    int status, String title, String kind, String detail, List<Violation> errors, Json.Part more) {
  public static final String MEDIA_TYPE = "application/problem+json";

  private static final String REGISTERED = "https://iana.org/";
  private static final Json.Part NOTHING = json -> {};

  private static final Map<Integer, String> TITLES =
      Map.ofEntries(
          Map.entry(400, "Bad Request"),
          Map.entry(401, "Unauthorized"),
          Map.entry(403, "Forbidden"),
          Map.entry(404, "Not Found"),
          Map.entry(405, "Method Not Allowed"),
          Map.entry(406, "Not Acceptable"),
          Map.entry(408, "Request Timeout"),
          Map.entry(409, "Conflict"),
          Map.entry(412, "Precondition Failed"),
          Map.entry(413, "Content Too Large"),
          Map.entry(414, "URI Too Long"),
          Map.entry(415, "Unsupported Media Type"),
          Map.entry(421, "Misdirected Request"),
          Map.entry(429, "Too Many Requests"),
          Map.entry(431, "Request Header Fields Too Large"),
          Map.entry(500, "Internal Server Error"),
          Map.entry(502, "Bad Gateway"),
          Map.entry(503, "Service Unavailable"),
          Map.entry(504, "Gateway Timeout"),
          Map.entry(505, "HTTP Version Not Supported"));

  public Problem {
    if (status < 400 || status > 599) {
      throw new IllegalArgumentException("status must be an error, not " + status);
    }
    errors = List.copyOf(errors);
  }

  public static Problem of(int status, String kind, String detail) {
    return new Problem(status, titleOf(status), kind, detail, List.of(), NOTHING);
  }

  /** Returns the problem of a failed store, with whether anything may have been done. */
  public static Problem of(StoreException failure) {
    if (failure.isFull()) {
      return storeFull(failure);
    }
    String store = failure.store().isEmpty() ? "The store" : "The store " + failure.store();
    String detail =
        switch (failure.outcome()) {
          case NONE -> " does not answer or is too busy. Nothing was done; try again soon.";
          case UNKNOWN ->
              " did not answer in time, or the connection to it broke. Whether this was done is"
                  + " unknown; repeat it with the same id.";
        };
    return storeUnavailable(failure.outcome(), store + detail);
  }

  /**
   * Returns the problem of a failed store. The outcome says whether anything may have been done.
   */
  public static Problem storeUnavailable(StoreException.Outcome outcome, String detail) {
    String word = outcome.name().toLowerCase(Locale.ROOT);
    return of(503, "store-unavailable", detail)
        .with(json -> json.writeStringField("outcome", word));
  }

  /** Returns the problem of a node whose memory cannot hold another counter. */
  public static Problem storeFull(StoreException failure) {
    String word = failure.outcome().name().toLowerCase(Locale.ROOT);
    return of(
            503,
            "store-full",
            "The memory of this node is %s. %s; idle entries are removed soon, try again."
                .formatted(
                    failure.getMessage(),
                    switch (failure.outcome()) {
                      case NONE -> "Nothing was done";
                      case UNKNOWN -> "Whether anything was done is unknown";
                    }))
        .with(json -> json.writeStringField("outcome", word));
  }

  /** Returns the problem of a request with invalid fields. */
  public static Problem invalid(List<Violation> errors) {
    String detail = errors.size() == 1 ? "1 field is wrong." : errors.size() + " fields are wrong.";
    return new Problem(400, titleOf(400), "invalid-request", detail, errors, NOTHING);
  }

  /** Returns this problem with further members. */
  public Problem with(Json.Part members) {
    return new Problem(
        status,
        title,
        kind,
        detail,
        errors,
        json -> {
          more.write(json);
          members.write(json);
        });
  }

  /** Returns this problem with another title. */
  public Problem titled(String other) {
    return new Problem(status, other, kind, detail, errors, more);
  }

  private static String titleOf(int status) {
    return TITLES.getOrDefault(status, status < 500 ? "Bad Request" : "Server Error");
  }

  public byte[] toJson() {
    return Json.bytes(
        json -> {
          json.writeStartObject();
          writeFields(json);
          json.writeEndObject();
        });
  }

  /** Writes the fields of this problem into an open object. */
  public void writeFields(JsonGenerator json) throws IOException {
    json.writeStringField("type", kind.startsWith(REGISTERED) ? kind : "urn:weir:problem:" + kind);
    json.writeStringField("title", title());
    json.writeNumberField("status", status);
    json.writeStringField("detail", detail);
    if (!errors.isEmpty()) {
      json.writeArrayFieldStart("errors");
      for (Violation error : errors) {
        json.writeStartObject();
        json.writeStringField("field", error.field());
        json.writeStringField("message", error.message());
        json.writeEndObject();
      }
      json.writeEndArray();
    }
    more.write(json);
  }
}
