package dev.weir.server.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.wiring.Node;
import dev.weir.server.http.Http;
import dev.weir.server.wiring.TestNode;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The fields of a rule over REST: what is valid comes back, and every invalid field is named. */
final class RuleFieldsIT {
  private static final String PATH = "/api/admin/rules";

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

  private void made(String json) {
    Http.Answer answer = create(json);
    assertThat(answer.status()).as(answer.text()).isEqualTo(201);
  }

  @Test
  void aRuleComesBackAsItWasMade() {
    Http.Answer made = create("{'name':'api','allowedRequests':100,'windowSeconds':60}");
    assertThat(made.status()).isEqualTo(201);
    assertThat(made.header("location")).hasValue(PATH + "/" + made.intAt("id"));
    assertThat(made.header("etag")).hasValue("\"1-%s\"".formatted(made.textAt("updatedAt")));
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
            "{'name':'a','allowedRequests':1,'windowSeconds':1,'pathPattern':'/**/x','methods':'',"
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
}
