package dev.weir.spring.internal.methods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.spring.RateLimited;
import dev.weir.spring.autoconfigure.Service;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Lazy;

/** A method with an invalid annotation stops the start, and is named. */
final class WrongMethodsTest {
  private static final Map<String, Object> RULE =
      Map.of(
          "weir.rules[0].name", "orders",
          "weir.rules[0].path-pattern", "/orders/**",
          "weir.rules[0].allowed-requests", "1",
          "weir.rules[0].window-seconds", "3600");

  static class UnknownRule {
    @RateLimited(rule = "odrers")
    public void order(String customer) {}
  }

  @Lazy
  static class UnknownRuleLater {
    @RateLimited(rule = "odrers")
    public void order(String customer) {}
  }

  static class BrokenKey {
    @RateLimited(rule = "orders", key = "#customer +")
    public void order(String customer) {}
  }

  static class UnknownParameter {
    @RateLimited(rule = "orders", key = "#costumer.name")
    public void order(String customer) {}
  }

  static class UnknownPosition {
    @RateLimited(rule = "orders", key = "#a1")
    public void order(String customer) {}
  }

  static class NoParameter {
    @RateLimited(rule = "orders", key = "customer")
    public void order(String customer) {}
  }

  static class NoParameterInside {
    @RateLimited(rule = "orders", key = "#customer.concat(region)")
    public void order(String customer) {}
  }

  static class UnknownFunction {
    @RateLimited(rule = "orders", key = "#hash(#customer)")
    public void order(String customer) {}
  }

  static class UnknownBean {
    @RateLimited(rule = "orders", key = "@tenants.current()")
    public void order(String customer) {}
  }

  static class PrivateMethod {
    @RateLimited(rule = "orders")
    @SuppressWarnings("UnusedMethod")
    private void order() {}
  }

  static class FinalMethod {
    @RateLimited(rule = "orders")
    public final void order() {}
  }

  static class AllThatKeysMayBe {
    @RateLimited(
        rule = "orders",
        key = "#names[first] + #names.?[#this.length() > length()].size()")
    public void order(Map<String, String> names) {}

    @RateLimited(rule = "orders", key = "T(java.util.Objects).hash(#a0, #p1)")
    public void order(String customer, int article) {}

    @RateLimited(rule = "orders", key = "#names.![length()]")
    public void order(List<String> names) {}

    @RateLimited(rule = "orders", key = "'all'")
    public void order() {}
  }

  @Test
  void aRuleThatDoesNotExistIsNamed() {
    assertThat(refusal(RULE, UnknownRule.class))
        .contains("UnknownRule.order")
        .contains("there is no rule \"odrers\"");
    assertThat(refusal(RULE, UnknownRuleLater.class)).contains("there is no rule \"odrers\"");
  }

  @Test
  void aKeyThatCannotBeEvaluatedIsNamed() {
    assertThat(refusal(RULE, BrokenKey.class))
        .contains("BrokenKey.order")
        .contains("#customer +")
        .contains("it cannot be parsed");
    assertThat(refusal(RULE, UnknownParameter.class))
        .contains("no parameter costumer, only customer");
    assertThat(refusal(RULE, UnknownPosition.class)).contains("no parameter a1, only customer");
    assertThat(refusal(RULE, NoParameter.class))
        .contains("customer is not a parameter; parameters begin with #");
    assertThat(refusal(RULE, NoParameterInside.class)).contains("region is not a parameter");
    assertThat(refusal(RULE, UnknownFunction.class)).contains("there is no function");
    assertThat(refusal(RULE, UnknownBean.class)).contains("there is no bean tenants");
  }

  @Test
  void aMethodThatCannotBeInterceptedIsNamed() {
    assertThat(refusal(RULE, PrivateMethod.class)).contains("PrivateMethod.order");
    assertThat(refusal(RULE, FinalMethod.class)).contains("FinalMethod.order");
  }

  @Test
  void methodsAreNotLimitedByAServer() {
    Map<String, Object> remote =
        Map.of("weir.store", "remote", "weir.remote.url", "http://127.0.0.1:1");
    assertThat(refusal(remote, UnknownRule.class)).contains("weir.store=remote");
  }

  /** Otherwise, a forgotten path would leave requests without their limit. */
  @Test
  void aRuleOfNoPathAndNoMethodIsNamed() {
    Map<String, Object> withoutPath = new HashMap<>(RULE);
    withoutPath.remove("weir.rules[0].path-pattern");
    assertThat(refusal(withoutPath)).contains("weir.rules[0].path-pattern");
    Service.startAndStop(withoutPath, AllThatKeysMayBe.class);
    withoutPath.put("weir.rules[0].methods", "GET");
    assertThat(refusal(withoutPath, AllThatKeysMayBe.class)).contains("weir.rules[0].methods");
  }

  @Test
  void nothingIsCheckedOrLimitedIfWeirIsOff() {
    try (Service service = Service.bare(Map.of("weir.enabled", "false"), UnknownRule.class)) {
      service.part(UnknownRule.class).order("anna");
    }
  }

  private static String refusal(Map<String, Object> properties, Class<?>... parts) {
    Throwable failure = catchThrowable(() -> Service.startAndStop(properties, parts));
    assertThat(failure).isNotNull();
    StringBuilder messages = new StringBuilder();
    for (Throwable each = failure; each != null; each = each.getCause()) {
      messages.append(each).append('\n');
    }
    return messages.toString();
  }
}
