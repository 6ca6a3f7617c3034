package dev.weir.server.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** An error response of the server (RFC 9457), reduced to the parts to print on a terminal. */
record Problem(String type, int status, String title, String detail, List<FieldError> errors) {
  private static final String NO_TYPE = "about:blank";
  private static final String STORE_UNAVAILABLE = "urn:weir:problem:store-unavailable";

  /** An invalid field of a request. */
  record FieldError(String field, String message) {}

  Problem {
    errors = List.copyOf(errors);
  }

  static Problem of(JsonObject json) {
    List<FieldError> errors = new ArrayList<>();
    for (JsonObject error : json.objects("errors")) {
      errors.add(
          new FieldError(
              error.text("field").orElse("?"), error.text("message").orElse("is wrong")));
    }
    int status = json.number("status").orElse(0L).intValue();
    return new Problem(
        json.text("type").orElse(NO_TYPE),
        status,
        json.text("title").orElse("HTTP " + status),
        json.text("detail").orElse(""),
        errors);
  }

  /**
   * Returns the problem of an error response. For a page from a proxy in between, it contains only
   * the status.
   */
  static Problem ofAnswer(int status, byte[] body) {
    return parse(body)
        .map(Problem::of)
        .map(found -> new Problem(found.type, status, found.title, found.detail, found.errors))
        .orElseGet(
            () ->
                new Problem(NO_TYPE, status, "the server answered HTTP " + status, "", List.of()));
  }

  /** Returns a problem that this program finds with a line of a feed, in the server's format. */
  static Problem unreadableLine(String flaw) {
    return new Problem(NO_TYPE, 400, "Unreadable line", "The line " + flaw + ".", List.of());
  }

  /** Returns true if the problem is likely to be temporary. */
  boolean isPassing() {
    return status == 503 && type.equals(STORE_UNAVAILABLE);
  }

  /** Returns the lines to print: title and detail, then each invalid field on its own line. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(detail.isEmpty() || detail.equals(title) ? title : title + ": " + detail);
    for (FieldError error : errors) {
      lines.add("  " + error.field + ": " + error.message);
    }
    return lines;
  }

  byte[] toJson() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = JsonObject.JSON.createGenerator(bytes)) {
      json.writeStartObject();
      json.writeStringField("type", type);
      json.writeStringField("title", title);
      json.writeNumberField("status", status);
      json.writeStringField("detail", detail);
      json.writeEndObject();
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return bytes.toByteArray();
  }

  private static Optional<JsonObject> parse(byte[] body) {
    try {
      return Optional.of(JsonObject.read(body));
    } catch (IOException notJson) {
      return Optional.empty();
    }
  }
}
