package dev.weir.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the server says is wrong with a request, by RFC 9457.
 *
 * @param type a URI such as {@code urn:weir:problem:unknown-config}; {@code about:blank} if what
 *     answered is not a Weir server
 * @param outcome whether the request may have been done, if the server says so
 * @param json the problem as it was sent, with all of its members
 */
public record Problem(
    String type,
    int status,
    String title,
    String detail,
    List<FieldError> errors,
    Optional<String> outcome,
    JsonObject json) {
  private static final String OWN = "urn:weir:problem:";

  /** The registered type of which the server's refusals by limits are. */
  private static final String QUOTA_EXCEEDED =
      "https://iana.org/assignments/http-problem-types#quota-exceeded";

  private static final String UNTYPED = "about:blank";

  /** An invalid field of the request. */
  public record FieldError(String field, String message) {}

  public Problem {
    errors = List.copyOf(errors);
  }

  /** Reads a problem from its JSON. */
  public static Problem of(JsonObject json) {
    List<FieldError> errors = new ArrayList<>();
    for (JsonObject error : json.objects("errors")) {
      errors.add(
          new FieldError(
              error.text("field").orElse("?"), error.text("message").orElse("is wrong")));
    }
    int status = json.number("status").orElse(0L).intValue();
    return new Problem(
        json.text("type").orElse(UNTYPED),
        status,
        json.text("title").orElse("HTTP " + status),
        json.text("detail").orElse(""),
        errors,
        json.text("outcome"),
        json);
  }

  /** Returns the problem of an answer; of a page of a proxy in between, only its status. */
  static Problem of(Reply reply) {
    try {
      Problem read = of(reply.json());
      return new Problem(
          read.type, reply.status(), read.title, read.detail, read.errors, read.outcome, read.json);
    } catch (IOException notJson) {
      return new Problem(
          UNTYPED,
          reply.status(),
          "the server answered HTTP " + reply.status(),
          "",
          List.of(),
          Optional.empty(),
          JsonObject.EMPTY);
    }
  }

  /**
   * Returns true if this is the server's own problem of that name, such as {@code unknown-config}.
   */
  public boolean is(String name) {
    return type.equals(OWN + name);
  }

  /** Returns title and detail in one line. */
  public String text() {
    return detail.isEmpty() || detail.equals(title) ? title : title + ": " + detail;
  }

  /** Returns true if a Weir server says this, and not something in its place or in between. */
  public boolean isWeirs() {
    return type.startsWith(OWN) || type.equals(QUOTA_EXCEEDED);
  }

  /** Returns true if the server refuses the request because a limit is exceeded. */
  boolean isRefusal() {
    return status == 429 && isWeirs();
  }

  /** Returns true if a Weir server says that the request itself is at fault. */
  boolean isFaultOfRequest() {
    return status < 500 && isWeirs();
  }

  /**
   * Returns true if the request may have been done. The server's own 503 says that nothing was,
   * unless it says otherwise; any other error may have come after the work.
   */
  boolean mayBeDone() {
    if (!isWeirs()) {
      return status >= 500;
    }
    return outcome.map(word -> !word.equals("none")).orElse(status >= 500 && status != 503);
  }

  /**
   * Returns true if the request is not at fault, and may succeed soon. A proxy in between answers
   * 404 while it has no server to pass a request to, and 429 by its own limits; a gateway that is a
   * Weir server itself has the server's types for its 502 and 504.
   */
  boolean isTemporary() {
    return switch (status) {
      case 404, 408, 425, 429 -> !isWeirs();
      case 502, 504 -> true;
      case 503 ->
          !isWeirs()
              || is("store-unavailable")
              || is("kafka-unavailable")
              || is("issuer-unavailable")
              || is("store-full")
              || is("busy");
      default -> false;
    };
  }
}
