package dev.weir.spring.internal.methods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.spring.RateLimited;
import dev.weir.spring.RateLimitedException;
import dev.weir.spring.autoconfigure.Service;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
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

  /** Something with a property. */
  public record Parcel(Object item, String name) {}

  static class Parcels {
    @RateLimited(rule = "orders", key = "#parcel.item + ':' + #region")
    public void property(Parcel parcel, String region) {}

    @RateLimited(rule = "orders", key = "'k:' + #parcel.item()")
    public void call(Parcel parcel) {}

    @RateLimited(rule = "orders", key = "'k:' + (#parcel.item ?: #parcel.name)")
    public void elvis(Parcel parcel) {}

    @RateLimited(rule = "orders", key = "#parcel.item == null ? 'x' : 'k:' + #parcel.item")
    public void ternary(Parcel parcel) {}

    @RateLimited(rule = "orders", key = "'k:'.concat(#parcel.item)")
    public void argument(Parcel parcel) {}

    @RateLimited(rule = "orders", key = "'k:' + #items")
    public void items(Object... items) {}
  }

  /** Spring converts it to a text, because it can be created from one. */
  public static class Tag {
    public Tag(String text) {}
  }

  @Test
  void partsWithoutATextAreRefusedByTheCall() {
    try (Service service = Service.bare(RULE, Parcels.class)) {
      Parcels parcels = service.part(Parcels.class);
      for (Object item :
          List.of(
              new Token(),
              new Tag("a"),
              List.of(new Token()),
              new Token[] {new Token()},
              new Tag[] {new Tag("a")},
              Map.entry("a", new Token()),
              new AtomicReference<>(new Token()),
              new CompletableFuture<>())) {
        Parcel parcel = new Parcel(item, "anna");
        String type = item.getClass().getSimpleName().startsWith("Ta") ? "Tag" : "";
        refuses(() -> parcels.property(parcel, "eu"), type);
        refuses(() -> parcels.call(parcel), type);
        refuses(() -> parcels.elvis(parcel), type);
        refuses(() -> parcels.ternary(parcel), type);
        refuses(() -> parcels.argument(parcel), type);
        refuses(() -> parcels.items("a", item), type);
      }
    }
  }

  @Test
  void partsWithATextAreCounted() {
    try (Service service = Service.bare(RULE, Parcels.class)) {
      Parcels parcels = service.part(Parcels.class);
      counts(() -> parcels.property(new Parcel(1, "anna"), "eu"));
      counts(() -> parcels.call(new Parcel(new NamedCustomer(), "anna")));
      counts(() -> parcels.elvis(new Parcel(Map.entry("a", 1), "anna")));
      counts(() -> parcels.ternary(new Parcel(new int[] {1, 2}, "anna")));
      counts(() -> parcels.argument(new Parcel(new AtomicReference<>("a"), "anna")));
      counts(() -> parcels.items("a", 2));
    }
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
      refuses(() -> orders.order(Map.entry("a", new Token())), "Token");
      refuses(() -> orders.order(new AtomicReference<>(new Token())), "Token");
      refuses(() -> orders.order(new CompletableFuture<>()), "CompletableFuture");
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

  @Test
  void noValueSharesTheKeyOfCallsWithoutOne() {
    try (Service service = Service.bare(RULE, Orders.class)) {
      Orders orders = service.part(Orders.class);
      counts(() -> orders.order(null));
      counts(() -> orders.order("(none)"));
      counts(() -> orders.order("\\(none)"));
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
