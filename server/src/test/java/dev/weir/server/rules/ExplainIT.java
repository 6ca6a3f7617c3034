package dev.weir.server.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.wiring.Node;
import dev.weir.server.http.Http;
import dev.weir.server.wiring.TestNode;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Explaining how rules would decide a request. */
final class ExplainIT {
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
}
