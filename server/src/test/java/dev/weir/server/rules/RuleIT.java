package dev.weir.server.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.wiring.Node;
import dev.weir.server.http.Http;
import dev.weir.server.http.LogWatch;
import dev.weir.server.wiring.TestNode;
import java.net.http.HttpRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rules are created, changed, listed and removed, and apply immediately. */
final class RuleIT {
  private static final String PATH = "/api/admin/rules";
  private static final String WINDOW =
      "{\"name\":\"%s\",\"allowedRequests\":%d,\"windowSeconds\":3600}";

  private Node node;
  private Http http;

  @BeforeEach
  void start() {
    node = TestNode.inMemory(Map.of());
    http = new Http(node.address());
  }

  @AfterEach
  void stop() {
    node.close();
  }

  private Http.Answer create(String json) {
    return http.post(PATH, json.replace('\'', '"'));
  }

  private String made(String json) {
    Http.Answer answer = create(json);
    assertThat(answer.status()).as(answer.text()).isEqualTo(201);
    return PATH + "/" + answer.intAt("id");
  }

  @Test
  void aChangeHoldsAtOnceAndKeepsWhatWasUsed() {
    String rule = made(WINDOW.formatted("api", 2));
    check("api", 2).ok();
    check("api", 1).refused();
    Http.Answer changed = http.put(rule, WINDOW.formatted("api", 5));
    assertThat(changed.ok().intAt("version")).isEqualTo(2);
    assertThat(changed.header("etag")).hasValue(tag(changed));
    assertThat(check("api", 1).ok().intAt("remaining")).isEqualTo(2);
    assertThat(http.delete(rule).status()).isEqualTo(204);
    check("api", 1).problem(404, "unknown-rule");
    http.get(rule).problem(404, "unknown-rule");
    http.delete(rule).problem(404, "unknown-rule");
    http.put(rule, WINDOW.formatted("api", 5)).problem(404, "unknown-rule");
  }

  @Test
  void aRuleIsSentBackAsItWasRead() {
    String rule = made(WINDOW.formatted("api", 2));
    Http.Answer read = http.get(rule).ok();
    Http.Answer changed = http.put(rule, read.text()).ok();
    assertThat(changed.intAt("version")).isEqualTo(2);
    Map<Object, Object> expected = new HashMap<>((Map<?, ?>) read.json());
    expected.put("version", changed.at("version"));
    expected.put("updatedAt", changed.at("updatedAt"));
    assertThat(changed.json()).isEqualTo(expected);

    String other = made(WINDOW.formatted("other", 2));
    http.put(other, read.text()).wrong("id");
    http.post(PATH, read.text()).wrong("id", "version", "createdAt", "updatedAt");
  }

  @Test
  void whoKnowsAnOlderVersionChangesNothing() {
    String rule = made(WINDOW.formatted("api", 2));
    String first = tag(http.get(rule));
    Http.Answer changed = http.with("If-Match", first).put(rule, WINDOW.formatted("api", 3)).ok();
    String second = tag(changed);
    for (String tag :
        List.of(
            first,
            "W/" + second,
            "w/" + second,
            second.replace("\"", ""),
            // The number alone, and with the time of another version.
            "\"2\"",
            first.replace("\"1-", "\"2-"),
            "\"x\"",
            "\"99999999999\"",
            first + ", \"3\"",
            first + ", W/" + second,
            second + " " + second,
            first + ", " + second.substring(0, second.length() - 1),
            "*, " + second,
            ",",
            "")) {
      http.with("If-Match", tag).put(rule, WINDOW.formatted("api", 4)).problem(412, "rule-changed");
      http.with("If-Match", tag).delete(rule).problem(412, "rule-changed");
    }
    assertThat(http.get(rule).json()).isEqualTo(changed.json());
    Http.Answer third = http.with("If-Match", "*").put(rule, WINDOW.formatted("api", 4)).ok();
    assertThat(http.with("If-Match", tag(third)).delete(rule).status()).isEqualTo(204);
  }

  private static String tag(Http.Answer rule) {
    return "\"%d-%s\"".formatted(rule.intAt("version"), rule.textAt("updatedAt"));
  }

  @Test
  void whoKnowsTheVersionAmongOthersChangesIt() {
    String rule = made(WINDOW.formatted("api", 2));
    String first = tag(http.get(rule));
    String second =
        tag(http.with("If-Match", "\"7\", " + first).put(rule, WINDOW.formatted("api", 3)).ok());
    String third =
        tag(
            http.with("If-Match", "W/\"2\" ,, \"x,\"," + second + ",")
                .put(rule, WINDOW.formatted("api", 4))
                .ok());
    // One list in two lines.
    String fourth =
        tag(
            http.with("If-Match", "\"9\"", "If-Match", third)
                .put(rule, WINDOW.formatted("api", 5))
                .ok());
    String fifth =
        tag(
            http.with("If-Match", first + ", " + fourth, "Content-Type", "application/json")
                .send("PATCH", rule + "/queue", HttpRequest.BodyPublishers.ofString("{}"))
                .ok());
    assertThat(http.with("If-Match", first + ", " + fifth).delete(rule).status()).isEqualTo(204);
  }

  @Test
  void aNameBelongsToOneRule() {
    made(WINDOW.formatted("api", 2));
    String other = made(WINDOW.formatted("other", 2));
    create(WINDOW.formatted("api", 3)).problem(409, "name-taken");
    http.put(other, WINDOW.formatted("api", 3)).problem(409, "name-taken");
    http.put(other, WINDOW.formatted("renamed", 3)).ok();
    check("renamed", 1).ok();
    check("other", 1).problem(404, "unknown-rule");
  }

  @Test
  void aQueueIsChangedByItself() {
    String rule = made(WINDOW.formatted("api", 2));
    Http.Answer changed =
        patch(rule, "{'queueEnabled':true,'maxQueueSize':3,'delayPerRequestMs':500}").ok();
    assertThat(changed.at("queueEnabled")).isEqualTo(true);
    assertThat(changed.intAt("maxQueueSize")).isEqualTo(3);
    assertThat(changed.intAt("delayPerRequestMs")).isEqualTo(500);
    assertThat(changed.intAt("allowedRequests")).isEqualTo(2);
    assertThat(changed.header("etag")).hasValue(tag(changed));
    Http.Answer off = patch(rule, "{'queueEnabled':false}").ok();
    assertThat(off.intAt("maxQueueSize")).isEqualTo(3);
    patch(rule, "{'queueEnabled':1,'allowedRequests':5}").wrong("queueEnabled", "allowedRequests");
    http.with("If-Match", "\"1\"", "Content-Type", "application/json")
        .send("PATCH", rule + "/queue", HttpRequest.BodyPublishers.ofString("{}"))
        .problem(412, "rule-changed");
    patch(PATH + "/999", "{}").problem(404, "unknown-rule");
    patch(rule, "{'queueEnabled':true,'maxQueueSize':0}").wrong("maxQueueSize");
    patch(made(WINDOW.formatted("other", 2)), "{'queueEnabled':true}").wrong("maxQueueSize");
    create("{'name':'q','allowedRequests':1,'windowSeconds':1,'queueEnabled':true}")
        .wrong("maxQueueSize");
    create(
            "{'name':'q','allowedRequests':1,'windowSeconds':1,'queueEnabled':true,"
                + "'maxQueueSize':0}")
        .wrong("maxQueueSize");
    patch(made("{'name':'c','algorithm':'CONCURRENCY','maxConcurrent':1}"), "{}")
        .problem(409, "no-queue");
  }

  @Test
  void queueChangesOfCallersWhoNameNoVersionAreAllMade() throws Exception {
    String rule = made(WINDOW.formatted("api", 2));
    List<Future<Http.Answer>> answers = new ArrayList<>();
    try (ExecutorService callers = Executors.newFixedThreadPool(4)) {
      for (int i = 0; i < 20; i++) {
        String change = "{'delayPerRequestMs':%d}".formatted(200 + i);
        answers.add(callers.submit(() -> patch(rule, change)));
      }
    }
    for (Future<Http.Answer> answer : answers) {
      answer.get().ok();
    }
    assertThat(http.get(rule).ok().intAt("version")).isEqualTo(21);
  }

  private Http.Answer patch(String rule, String json) {
    return http.with("Content-Type", "application/json")
        .send(
            "PATCH", rule + "/queue", HttpRequest.BodyPublishers.ofString(json.replace('\'', '"')));
  }

  @Test
  void whoMadeWhichVersionIsKept() {
    String rule = made(WINDOW.formatted("api", 2));
    http.put(rule, WINDOW.formatted("api", 3)).ok();
    Http.Answer versions = http.get(rule + "/versions").ok();
    assertThat(versions.intAt("0.version")).isEqualTo(2);
    assertThat(versions.intAt("0.allowedRequests")).isEqualTo(3);
    assertThat(versions.intAt("1.allowedRequests")).isEqualTo(2);
    assertThat(versions.textAt("0.changedBy")).isEqualTo("anonymous");
    assertThat(versions.at("0.removed")).isEqualTo(false);
    http.get(PATH + "/999/versions").problem(404, "unknown-rule");
  }

  @Test
  void whatIsNoIdIsUnknown() {
    for (String id : List.of("x", "0", "-1", "99999999999999999999", "1.0", "%27%20or%201=1")) {
      http.get(PATH + "/" + id).problem(404, "unknown-rule");
      http.delete(PATH + "/" + id).problem(404, "unknown-rule");
    }
  }

  @Test
  void refreshIsHarmless() {
    made(WINDOW.formatted("api", 2));
    assertThat(http.post(PATH + "/refresh").status()).isEqualTo(204);
    check("api", 1).ok();
  }

  @Test
  void changesAreLoggedOldToNew() {
    try (LogWatch log = new LogWatch()) {
      String rule = made(WINDOW.formatted("logged", 2));
      http.put(rule, WINDOW.formatted("logged", 3));
      http.delete(rule);
      check("logged", 1);
      assertThat(log.lines("INFO")).hasSize(3);
      assertThat(log.lines("INFO").get(0)).contains("none → {", "\"allowedRequests\":2");
      assertThat(log.lines("INFO").get(1))
          .containsSubsequence("\"allowedRequests\":2", "→", "\"allowedRequests\":3");
      assertThat(log.lines("INFO").get(2)).contains("→ none");
    }
  }

  private Http.Answer check(String rule, int cost) {
    return http.post(
        "/api/v1/check", "{\"rule\":\"%s\",\"key\":\"k\",\"cost\":%d}".formatted(rule, cost));
  }
}
