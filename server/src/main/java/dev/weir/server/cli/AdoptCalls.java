package dev.weir.server.cli;

import dev.weir.client.Call;
import dev.weir.client.JsonObject;
import dev.weir.client.WeirClient;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Hands over events that have their times, by lines. */
final class AdoptCalls implements EntryCalls {
  /** Few enough that the answers to all of them arrive before a call counts as not answered. */
  private static final int MAX_LINES = 1_000;

  private final WeirClient client;
  private final Optional<String> configName;
  private final String overfull;

  AdoptCalls(WeirClient client, Optional<String> configName, String overfull) {
    this.client = client;
    this.configName = configName;
    this.overfull = overfull;
  }

  @Override
  public JsonObject.Element sendLine(FeedLine.Entry entry) {
    return sendTogether(List.of(entry)).getFirst();
  }

  @Override
  public List<JsonObject.Element> send(List<FeedLine.Entry> entries) {
    List<JsonObject.Element> answers = new ArrayList<>(entries.size());
    for (int from = 0; from < entries.size(); from += MAX_LINES) {
      answers.addAll(
          sendTogether(entries.subList(from, Math.min(entries.size(), from + MAX_LINES))));
    }
    return answers;
  }

  private List<JsonObject.Element> sendTogether(List<FeedLine.Entry> entries) {
    String body =
        entries.stream().map(FeedLine.Entry::request).collect(Collectors.joining("\n", "", "\n"));
    return client.send(
        call().body("application/x-ndjson", BodyPublishers.ofString(body)),
        reply -> {
          List<JsonObject.Element> answers = new ArrayList<>();
          for (String line : reply.text().lines().toList()) {
            answers.add(
                new JsonObject.Element(
                    JsonObject.read(line.getBytes(StandardCharsets.UTF_8)), line));
          }
          if (answers.size() != entries.size()) {
            throw new IOException(
                "it returned %d answers, not %d".formatted(answers.size(), entries.size()));
          }
          return answers;
        });
  }

  private Call call() {
    Call call =
        Call.post("/admin/slots/adopt")
            .parameter("overfull", overfull)
            .accept("application/x-ndjson")
            .repeatable();
    return configName.isPresent() ? call.parameter("configName", configName.get()) : call;
  }
}
