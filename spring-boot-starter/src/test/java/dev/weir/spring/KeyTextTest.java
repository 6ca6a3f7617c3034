package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Keys whose text differs for equal values would limit nothing, so they are refused. */
final class KeyTextTest {
  private static final Map<String, Object> RULE =
      Map.of(
          "weir.rules[0].name", "orders",
          "weir.rules[0].allowed-requests", "1",
          "weir.rules[0].window-seconds", "3600");

  /** Has no text, and can have no subclass with one. */
  static final class Token {}

  /** Has no text, but a subclass may. */
  static class Customer {}

  /** A customer with a text. */
  static class NamedCustomer extends Customer {
    @Override
    public String toString() {
      return "anna";
    }
  }

  static class OfBytes {
    @RateLimited(rule = "orders", key = "#token")
    public void order(byte[] token) {}
  }

  static class OfNames {
    @RateLimited(rule = "orders", key = "#a0")
    public void order(String... names) {}
  }

  static class OfToken {
    @RateLimited(rule = "orders", key = "#token")
    public void order(Token token) {}
  }

  static class OfJoinedToken {
    @RateLimited(rule = "orders", key = "'t:' + #token + ':' + #region")
    public void order(Token token, String region) {}
  }

  static class OfListOfBytes {
    @RateLimited(rule = "orders", key = "#tokens")
    public void order(List<byte[]> tokens) {}
  }

  static class OfMapToTokens {
    @RateLimited(rule = "orders", key = "#tokens")
    public void order(Map<String, Optional<Token>> tokens) {}
  }

  static class Orders {
    @RateLimited(rule = "orders", key = "#key")
    public void order(Object key) {}

    @RateLimited(rule = "orders", key = "'c:' + #customer")
    public void joined(Object customer) {}

    @RateLimited(rule = "orders", key = "#customer")
    public void customer(Customer customer) {}

    @RateLimited(rule = "orders", key = "#name.length()")
    public void length(String name) {}
  }

  @Test
  void typesWithoutATextStopTheStart() {
    for (Class<?> part :
        List.of(
            OfBytes.class,
            OfNames.class,
            OfToken.class,
            OfJoinedToken.class,
            OfListOfBytes.class,
            OfMapToTokens.class)) {
      Throwable failure = catchThrowable(() -> Service.startAndStop(RULE, part));
      assertThat(failure).as(part.getSimpleName()).isNotNull();
      assertThat(failure)
          .hasStackTraceContaining(part.getSimpleName() + ".order")
          .hasStackTraceContaining("has no text that identifies its values");
    }
  }

  @Test
  void valuesWithoutATextAreRefusedByTheCall() {
    try (Service service = Service.bare(RULE, Orders.class)) {
      Orders orders = service.part(Orders.class);
      refuses(() -> orders.order(new byte[] {1}), "byte[]");
      refuses(() -> orders.order(new Object()), "java.lang.Object");
      refuses(() -> orders.order(List.of("a", new int[0])), "int[]");
      refuses(() -> orders.order(Map.of("a", List.of(new Token()))), "Token");
      refuses(() -> orders.order(Optional.of(new Token())), "Token");
      refuses(() -> orders.joined(new Token()), "Token");
      refuses(() -> orders.customer(new Customer()), "Customer");
    }
  }

  @Test
  void valuesWithATextAreCounted() {
    try (Service service = Service.bare(RULE, Orders.class)) {
      Orders orders = service.part(Orders.class);
      counts(() -> orders.order(List.of(1, "b")));
      counts(() -> orders.order(Map.of("a", Optional.of(2))));
      counts(() -> orders.customer(new NamedCustomer()));
      counts(() -> orders.joined(new String[] {"a", "b"}));
      counts(() -> orders.joined(new int[] {1, 2}));
    }
  }

  /** Otherwise, the message would name neither the method nor the expression. */
  @Test
  void anExpressionThatFailsIsNamed() {
    try (Service service = Service.bare(RULE, Orders.class)) {
      assertThatThrownBy(() -> service.part(Orders.class).length(null))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("Orders.length")
          .hasMessageContaining("#name.length()")
          .hasMessageContaining("null");
    }
  }

  private static void refuses(ThrowingCallable call, String type) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("@RateLimited on ")
        .hasMessageContaining(type + " has no text that identifies its values");
  }

  private static void counts(Runnable call) {
    call.run();
    assertThatExceptionOfType(RateLimitedException.class).isThrownBy(call::run);
  }
}
