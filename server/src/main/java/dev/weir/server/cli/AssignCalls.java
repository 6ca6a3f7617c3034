package dev.weir.server.cli;

import dev.weir.client.Call;
import dev.weir.client.JsonObject;
import dev.weir.client.Problem;
import dev.weir.client.ProblemException;
import dev.weir.client.WeirClient;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Asks for slots, by arrays. */
final class AssignCalls implements EntryCalls {
  private static final String PATH = "/api/v1/slots/batch";

  private final WeirClient client;

  AssignCalls(WeirClient client) {
    this.client = client;
  }

  @Override
  public JsonObject.Element sendLine(FeedLine.Entry entry) {
    return client.send(
        Call.post(PATH)
            .body("application/x-ndjson", BodyPublishers.ofString(entry.request() + "\n"))
            .accept("application/x-ndjson")
            .repeatable(),
        reply -> new JsonObject.Element(reply.json(), reply.text().strip()));
  }

  @Override
  public List<JsonObject.Element> send(List<FeedLine.Entry> entries) {
    if (entries.isEmpty()) {
      return List.of();
    }
    String body =
        entries.stream().map(FeedLine.Entry::request).collect(Collectors.joining(",", "[", "]"));
    try {
      return client.send(
          Call.post(PATH).json(body).repeatable(),
          reply -> {
            List<JsonObject.Element> answers = JsonObject.readArray(reply.body());
            if (answers.size() != entries.size()) {
              throw new IOException(
                  "it returned %d answers, not %d".formatted(answers.size(), entries.size()));
            }
            return answers;
          });
    } catch (ProblemException refused) {
      if (!isOfALine(refused.problem())) {
        throw refused;
      }
      return sendApart(entries, refused);
    }
  }

  /** Returns true if one of the lines may be the reason why none of them was accepted. */
  private static boolean isOfALine(Problem problem) {
    return problem.is("malformed-json") || problem.is("too-large");
  }

  private List<JsonObject.Element> sendApart(
      List<FeedLine.Entry> entries, ProblemException refused) {
    if (entries.size() == 1) {
      return List.of(new JsonObject.Element(refused.problem().json(), refused.reply().text()));
    }
    int half = entries.size() / 2;
    List<JsonObject.Element> answers = new ArrayList<>(send(entries.subList(0, half)));
    answers.addAll(send(entries.subList(half, entries.size())));
    return answers;
  }
}
