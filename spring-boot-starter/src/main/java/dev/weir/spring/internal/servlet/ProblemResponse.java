package dev.weir.spring.internal.servlet;

import dev.weir.spring.internal.gate.Admission;
import dev.weir.spring.internal.gate.Problem;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Writes problems as responses of a servlet container. */
final class ProblemResponse {
  private static final String ENCODING = "Content-Encoding";

  private ProblemResponse() {}

  /**
   * Writes a problem in place of what filters in front of Weir's have written.
   *
   * @throws IOException if the response is on its way already. The container then aborts it, so
   *     that the client does not take it for complete
   */
  static void write(HttpServletResponse response, Problem problem) throws IOException {
    // A filter in front has set the encoding to encode what is written here.
    write(
        response,
        problem,
        name -> name.equalsIgnoreCase(ENCODING) || !Problem.isFieldOfContent(name));
  }

  /**
   * Writes a refusal in place of what the service has written, with the fields that describe it.
   */
  static void replace(HttpServletResponse response, Admission.Refused refused) throws IOException {
    // Replaces the fields of the rules that let the request pass.
    refused.fields().forEach(field -> response.setHeader(field.name(), field.value()));
    write(response, refused.problem(), name -> !Problem.isFieldOfContent(name));
  }

  private static void write(HttpServletResponse response, Problem problem, Predicate<String> isKept)
      throws IOException {
    if (response.isCommitted()) {
      throw new IOException("a refusal cannot be sent, because the response has begun: " + problem);
    }
    // Only a complete reset removes fields, and takes back the use of a writer.
    List<Admission.Field> fields = new ArrayList<>();
    for (String name : response.getHeaderNames()) {
      if (isKept.test(name)) {
        response.getHeaders(name).forEach(value -> fields.add(new Admission.Field(name, value)));
      }
    }
    response.reset();
    fields.forEach(field -> response.addHeader(field.name(), field.value()));
    byte[] json = problem.bytes();
    response.setStatus(problem.status());
    response.setContentType(Problem.MEDIA_TYPE);
    response.setContentLength(json.length);
    OutputStream body = response.getOutputStream();
    body.write(json);
  }
}
