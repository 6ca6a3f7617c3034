package dev.weir.server.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.Http;
import dev.weir.server.http.LogWatch;
import dev.weir.server.wiring.Node;
import dev.weir.server.wiring.TestNode;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rules are made, changed, looked at and removed, and hold at once. */
final class RuleIT {
  private static final String PATH = "/api/admin/rules";
  private static final String WINDOW =
      "{\"name\":\"%s\",\"allowedRequests\":%d,\"windowSeconds\":60}";

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
  void aRuleComesBackAsItWasMade() {
    Http.Answer made = create("{'name':'api','allowedRequests':100,'windowSeconds':60}");
    assertThat(made.status()).isEqualTo(201);
    assertThat(made.header("location")).hasValue(PATH + "/" + made.intAt("id"));
    assertThat(made.header("etag")).hasValue("\"1\"");
    assertThat(made.textAt("algorithm")).isEqualTo("FIXED_WINDOW");
    assertThat(made.intAt("allowedRequests")).isEqualTo(100);
    assertThat(made.intAt("windowSeconds")).isEqualTo(60);
    assertThat(made.at("aligned")).isEqualTo(false);
    assertThat(made.at("active")).isEqualTo(true);
    assertThat(made.textAt("onStoreFailure")).isEqualTo("closed");
    assertThat(http.get(PATH + "/" + made.intAt("id")).ok().json()).isEqualTo(made.json());

    Http.Answer sliding =
        create(
            "{'name':'s','algorithm':'SLIDING_WINDOW','allowedRequests':1,'windowSeconds':0.5,"
                + "'active':false,'onStoreFailure':'fallback'}");
    assertThat(sliding.at("windowSeconds").toString()).isEqualTo("0.5");
    assertThat(sliding.textAt("onStoreFailure")).isEqualTo("fallback");
    Http.Answer bucket =
        create("{'name':'b','algorithm':'TOKEN_BUCKET','capacity':10,'refillRate':2.50}");
    assertThat(bucket.at("refillRate").toString()).isEqualTo("2.5");

    assertThat((List<?>) http.get(PATH).ok().json())
        .isEqualTo(List.of(made.json(), sliding.json(), bucket.json()));
    assertThat((List<?>) http.get(PATH + "/active").ok().json())
        .isEqualTo(List.of(made.json(), bucket.json()));
  }

  @Test
  void aChangeHoldsAtOnceAndKeepsWhatWasUsed() {
    String rule = made(WINDOW.formatted("api", 2));
    check("api", 2).ok();
    check("api", 1).refused();
    Http.Answer changed = http.put(rule, WINDOW.formatted("api", 5));
    assertThat(changed.ok().intAt("version")).isEqualTo(2);
    assertThat(changed.header("etag")).hasValue("\"2\"");
    assertThat(check("api", 1).ok().intAt("remaining")).isEqualTo(2);
    assertThat(http.delete(rule).status()).isEqualTo(204);
    check("api", 1).problem(404, "unknown-rule");
    http.get(rule).problem(404, "unknown-rule");
    http.delete(rule).problem(404, "unknown-rule");
    http.put(rule, WINDOW.formatted("api", 5)).problem(404, "unknown-rule");
  }

  @Test
  void whoKnowsAnOlderVersionChangesNothing() {
    String rule = made(WINDOW.formatted("api", 2));
    Http.Answer changed = http.with("If-Match", "\"1\"").put(rule, WINDOW.formatted("api", 3)).ok();
    for (String tag :
        List.of(
            "\"1\"",
            "W/\"2\"",
            "w/\"2\"",
            "2",
            "\"x\"",
            "\"99999999999\"",
            "\"1\", \"3\"",
            "\"1\", W/\"2\"",
            "\"2\" \"2\"",
            "\"1\", \"2",
            "*, \"2\"",
            ",",
            "")) {
      http.with("If-Match", tag).put(rule, WINDOW.formatted("api", 4)).problem(412, "rule-changed");
      http.with("If-Match", tag).delete(rule).problem(412, "rule-changed");
    }
    assertThat(http.get(rule).json()).isEqualTo(changed.json());
    http.with("If-Match", "*").put(rule, WINDOW.formatted("api", 4)).ok();
    assertThat(http.with("If-Match", "\"3\"").delete(rule).status()).isEqualTo(204);
  }

  @Test
  void whoKnowsTheVersionAmongOthersChangesIt() {
    String rule = made(WINDOW.formatted("api", 2));
    http.with("If-Match", "\"7\", \"1\"").put(rule, WINDOW.formatted("api", 3)).ok();
    http.with("If-Match", "W/\"2\" ,, \"x,\",\"2\",").put(rule, WINDOW.formatted("api", 4)).ok();
    // One list in two lines.
    http.with("If-Match", "\"9\"", "If-Match", "\"3\"").put(rule, WINDOW.formatted("api", 5)).ok();
    http.with("If-Match", "\"1\", \"4\"", "Content-Type", "application/json")
        .send("PATCH", rule + "/queue", HttpRequest.BodyPublishers.ofString("{}"))
        .ok();
    assertThat(http.with("If-Match", "\"1\", \"5\"").delete(rule).status()).isEqualTo(204);
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
  void everyWrongFieldIsNamed() {
    create("{}").wrong("name", "allowedRequests", "windowSeconds");
    create(
            "{'name':1,'allowedRequests':'x','windowSeconds':true,'aligned':1,'active':'no',"
                + "'onStoreFailure':'OPEN'}")
        .wrong("name", "allowedRequests", "windowSeconds", "aligned", "active", "onStoreFailure");
    create("{'name':'a','algorithm':'fixed_window','allowedRequests':1,'windowSeconds':1}")
        .wrong("algorithm");
    create("{'name':'a','algorithm':'TOKEN_BUCKET','allowedRequests':1,'windowSeconds':1}")
        .wrong("capacity", "refillRate", "allowedRequests", "windowSeconds");
    create(
            "{'name':'a','algorithm':'SLIDING_WINDOW','allowedRequests':1,'windowSeconds':1,"
                + "'aligned':true}")
        .wrong("aligned");
  }

  @Test
  void whatARuleCoversComesBackAsItWasMade() {
    Http.Answer made =
        create(
            "{'name':'a','allowedRequests':3,'windowSeconds':10,'pathPattern':'/api/{id}/**',"
                + "'methods':['POST','GET'],'keyBy':['header:X-Api-Key','ip'],'queueEnabled':true,"
                + "'maxQueueSize':2,'delayPerRequestMs':500,'mode':'shadow','priority':-7}");
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    assertThat(made.textAt("pathPattern")).isEqualTo("/api/{id}/**");
    assertThat(made.listAt("methods")).isEqualTo(List.of("GET", "POST"));
    assertThat(made.listAt("keyBy")).isEqualTo(List.of("header:X-Api-Key", "ip"));
    assertThat(made.at("queueEnabled")).isEqualTo(true);
    assertThat(made.intAt("maxQueueSize")).isEqualTo(2);
    assertThat(made.intAt("delayPerRequestMs")).isEqualTo(500);
    assertThat(made.textAt("mode")).isEqualTo("shadow");
    assertThat(made.intAt("priority")).isEqualTo(-7);

    Http.Answer plain =
        create("{'name':'b','allowedRequests':3,'windowSeconds':10,'keyBy':'path'}");
    assertThat(plain.listAt("keyBy")).isEqualTo(List.of("path"));
    assertThat(plain.at("queueEnabled")).isEqualTo(false);
    assertThat(plain.intAt("maxQueueSize")).isZero();
    assertThat(plain.intAt("delayPerRequestMs")).isEqualTo(100);
    assertThat(plain.textAt("mode")).isEqualTo("enforce");

    Http.Answer leases = create("{'name':'c','algorithm':'CONCURRENCY','maxConcurrent':50}");
    assertThat(leases.intAt("maxConcurrent")).isEqualTo(50);
    assertThat(leases.textAt("leaseTtl")).isEqualTo("PT1M");
  }

  @Test
  void everyWrongFieldOfACoverageIsNamed() {
    create(
            "{'name':'a','allowedRequests':1,'windowSeconds':1,'pathPattern':'/**/x','methods':[],"
                + "'keyBy':'cookie','queueEnabled':'x','maxQueueSize':-1,'delayPerRequestMs':0,"
                + "'mode':'ENFORCE','priority':1.5}")
        .wrong(
            "pathPattern",
            "methods",
            "keyBy",
            "queueEnabled",
            "maxQueueSize",
            "delayPerRequestMs",
            "mode",
            "priority");
    create("{'name':'a','allowedRequests':1,'windowSeconds':1,'methods':['get'],'keyBy':[]}")
        .wrong("methods", "keyBy");
    create("{'name':'a','allowedRequests':1,'windowSeconds':1,'methods':[1],'keyBy':['ip','ip']}")
        .wrong("methods[0]", "keyBy");
    create("{'name':'a','allowedRequests':1,'windowSeconds':1,'keyBy':'header:a b'}")
        .wrong("keyBy");
    create("{'name':'a','algorithm':'CONCURRENCY','queueEnabled':true,'onStoreFailure':'local'}")
        .wrong("maxConcurrent", "queueEnabled", "onStoreFailure");
    for (String ttl : List.of("PT0S", "PT0.999999S", "PT1.0000001S", "P4000D", "soon")) {
      create(
              "{'name':'a','algorithm':'CONCURRENCY','maxConcurrent':1,'leaseTtl':'%s'}"
                  .formatted(ttl))
          .wrong("leaseTtl");
    }
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
    assertThat(changed.header("etag")).hasValue("\"2\"");
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
  void explainsWhatRulesWouldSayAndTakesNothing() {
    made("{'name':'wide','allowedRequests':1,'windowSeconds':60,'pathPattern':'/**'}");
    made(
        "{'name':'top','allowedRequests':1,'windowSeconds':60,'pathPattern':'/api/**','methods':['GET'],'priority':5}");
    made(
        "{'name':'dark','allowedRequests':1,'windowSeconds':60,'pathPattern':'/**','mode':'shadow'}");
    String request =
        "{'path':'/api/../api/x?y','method':'get','ip':'192.0.2.7','headers':{'A':'b'}}";
    for (int i = 0; i < 3; i++) {
      Http.Answer answer = explain(request).ok();
      assertThat(answer.textAt("path")).isEqualTo("/api/x");
      assertThat(answer.textAt("method")).isEqualTo("get");
      assertThat(answer.textAt("outcome")).isEqualTo("allowed");
      assertThat(answer.textAt("rules.0.rule")).isEqualTo("top");
      assertThat(answer.textAt("rules.0.key")).isEqualTo("192.0.2.7");
      assertThat(answer.intAt("rules.0.remaining")).isEqualTo(1);
      assertThat(answer.textAt("overridden.0.rule")).isEqualTo("wide");
      assertThat(answer.textAt("shadow.0.rule")).isEqualTo("dark");
    }
    explain("{'path':'/a%2Fb','method':1,'headers':{'a':1},'x':1}")
        .wrong("path", "method", "headers.a", "x");
    explain("{}").wrong("path");
  }

  private Http.Answer explain(String json) {
    return http.post(PATH + "/explain", json.replace('\'', '"'));
  }

  @Test
  void numbersThatCannotBeAreRefused() {
    for (String number :
        List.of("0", "-1", "1.5", "1e400", "1000000000001", "9223372036854775808")) {
      create("{'name':'a','allowedRequests':%s,'windowSeconds':1}".formatted(number))
          .wrong("allowedRequests");
      create(
              "{'name':'a','algorithm':'TOKEN_BUCKET','capacity':%s,'refillRate':1}"
                  .formatted(number))
          .wrong("capacity");
    }
    for (String number :
        List.of("0", "-1", "0.0001", "0.0015005", "1e400", "1E-999999999", "31622401")) {
      create("{'name':'a','allowedRequests':1,'windowSeconds':%s}".formatted(number))
          .wrong("windowSeconds");
    }
    for (String number : List.of("0", "-0.1", "1e13", "1E-13", "1E-999999999", "1E+999999999")) {
      create(
              "{'name':'a','algorithm':'TOKEN_BUCKET','capacity':1,'refillRate':%s}"
                  .formatted(number))
          .wrong("refillRate");
    }
  }

  @Test
  void namesThatFieldsCannotCarryAreRefused() {
    for (String name :
        List.of(
            "",
            " ",
            " a",
            "a ",
            "ü",
            "a\\u0000",
            "a\\nb",
            "\\u007f",
            "weir:bucket",
            "x".repeat(101))) {
      create("{'name':'%s','allowedRequests':1,'windowSeconds':1}".formatted(name)).wrong("name");
    }
    made("{'name':'%s','allowedRequests':1,'windowSeconds':1}".formatted("x".repeat(100)));
    made("{'name':'a b/c?%&<>|','allowedRequests':1,'windowSeconds':1}");
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
