package dev.weir.torture.rules;

import dev.weir.torture.capability.Round;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.stage.Client;
import dev.weir.torture.stage.Client.Matter;
import java.net.http.HttpRequest;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The rules of a round: created, read and changed by one node or another. */
final class RuleRegister {
  static final String RULES = "/api/admin/rules";

  private final Round round;
  private final Client client;

  RuleRegister(Round round) {
    this.round = round;
    this.client = round.client();
  }

  String name(String rule) {
    return round.name() + "-" + rule;
  }

  /** The JSON of a rule with a fixed window that does not end within the round. */
  String json(String rule, long allowedRequests, String more) {
    return "{\"name\":\"%s\",\"allowedRequests\":%d,\"windowSeconds\":36000%s}"
        .formatted(name(rule), allowedRequests, more);
  }

  /** Creates a rule before anything goes wrong, and returns its path. */
  String create(String rule, String json) {
    Matter matter = new Matter("create", rule);
    // 409: an attempt without an answer has created it.
    client.until(() -> client.post(matter, 0, RULES, json), 201, 409);
    String all = client.until(() -> client.get(new Matter("list", rule), 0, RULES), 200).answer();
    return path(all, name(rule))
        .orElseThrow(() -> new IllegalStateException("there is no rule " + rule + " in " + all));
  }

  /** Waits until all nodes know a rule: without it they would let requests pass. */
  void awaitEverywhere(String rule) {
    for (int i = 0; i < client.nodes(); i++) {
      int node = i;
      client.until(() -> check("wait", rule, node, rule, "none", ",\"peek\":true"), 200);
    }
  }

  private static Optional<String> path(String rules, String name) {
    Matcher id = Pattern.compile("\"id\":(\\d+),\"name\":\"" + name + "\"").matcher(rules);
    return id.find() ? Optional.of(RULES + "/" + id.group(1)) : Optional.empty();
  }

  /** Sends JSON, if the rule is still the one of the entity tag. */
  Exchange putIfMatch(Matter matter, int node, String path, String json, String tag) {
    return client.send(
        matter,
        node,
        path,
        request ->
            request
                .header("Content-Type", "application/json")
                .header("If-Match", tag)
                .PUT(HttpRequest.BodyPublishers.ofString(json)),
        json.replaceFirst("}$", ",\"tag\":" + tag + "}"));
  }

  /** Checks a rule, and records the header fields of the answer. */
  Exchange check(String kind, String subject, int node, String rule, String key, String more) {
    String json = "{\"rule\":\"%s\",\"key\":\"%s\"%s}".formatted(name(rule), key, more);
    return client.send(
        new Matter(kind, subject),
        node,
        "/api/v1/check",
        request ->
            request
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json)),
        json);
  }
}
