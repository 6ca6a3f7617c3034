package dev.weir.torture.limits;

import dev.weir.torture.history.Exchange;
import dev.weir.torture.history.Json;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What callers saw of one key of a rule: its checks, and what was left of it at the end. */
final class Usage {
  private final List<Exchange> checks = new ArrayList<>();
  private final List<Exchange> peeks = new ArrayList<>();

  /** Checks with one request id. */
  record Repeated(String requestId, List<Exchange> checks) {}

  void add(Exchange exchange) {
    if (exchange.kind().equals(LimitLoad.PEEK)) {
      peeks.add(exchange);
    } else {
      checks.add(exchange);
    }
  }

  List<Exchange> checks() {
    return checks;
  }

  /** Checks that were granted, and not as a repetition, in the order in which they ended. */
  List<Exchange> grants() {
    return checks.stream()
        .filter(check -> check.isDone() && !check.fields().isTrue("replayed"))
        .toList();
  }

  /** What was granted for certain. */
  long granted() {
    return cost(grants());
  }

  /** What may have been taken beyond that, by checks whose outcome is not known. */
  long unknown() {
    return cost(checks.stream().filter(Exchange::isUnknown).toList());
  }

  static long cost(List<Exchange> checks) {
    return checks.stream().mapToLong(Usage::cost).sum();
  }

  static long cost(Exchange check) {
    Json request = Json.read(check.request());
    List<Json> all = request.list("all");
    if (!all.isEmpty()) {
      return all.getFirst().number("cost");
    }
    return request.find("cost").or(() -> request.find("tokens")).map(Long::parseLong).orElse(1L);
  }

  /** The last peek, which says what is left. */
  Optional<Exchange> peek() {
    return peeks.isEmpty() ? Optional.empty() : Optional.of(peeks.getLast());
  }

  /** What is left of the rule, or of each of several rules. */
  static List<Long> remaining(Exchange peek) {
    Json answer = peek.fields();
    return answer.list("all").isEmpty()
        ? List.of(answer.number("remaining"))
        : answer.list("all").stream().map(each -> each.number("remaining")).toList();
  }

  /** The checks by their request ids. */
  List<Repeated> byRequestId() {
    Map<String, List<Exchange>> byId = new HashMap<>();
    for (Exchange check : checks) {
      byId.computeIfAbsent(Json.read(check.request()).text("requestId"), any -> new ArrayList<>())
          .add(check);
    }
    return byId.entrySet().stream()
        .map(entry -> new Repeated(entry.getKey(), entry.getValue()))
        .toList();
  }

  /** What all ids may have taken together, if each took its cost at most once. */
  long maxOfIds() {
    Set<String> seen = new HashSet<>();
    return checks.stream()
        .filter(check -> check.isDone() || check.isUnknown())
        .filter(check -> seen.add(Json.read(check.request()).text("requestId")))
        .mapToLong(Usage::cost)
        .sum();
  }
}
