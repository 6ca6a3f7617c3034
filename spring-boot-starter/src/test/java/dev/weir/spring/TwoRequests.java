package dev.weir.spring;

import dev.weir.spring.autoconfigure.Service;
import java.util.HashMap;
import java.util.Map;

/**
 * A separate process that starts services, one after the other, sends each two requests, as if for
 * two clients, and prints the results.
 */
final class TwoRequests {
  /** What follows the output of each service. */
  static final String OVER = "That was all of it.";

  private TwoRequests() {}

  /** A bean with a limited method. */
  public static class Calls {
    @RateLimited(rule = "calls")
    public void call() {}
  }

  /**
   * Starts them.
   *
   * @param services each where it runs, and further properties, separated by spaces
   */
  public static void main(String... services) {
    for (String service : services) {
      try {
        tryOut(service.split(" "));
      } catch (RuntimeException e) {
        // Spring has said why.
        System.out.println("It did not start: " + e.getClass().getName());
      }
      System.out.println(OVER);
    }
  }

  private static void tryOut(String... words) {
    Map<String, Object> properties = new HashMap<>();
    properties.put("weir.rules[0].name", "quotes");
    properties.put("weir.rules[0].path-pattern", "/quotes/**");
    properties.put("weir.rules[0].allowed-requests", "1");
    properties.put("weir.rules[0].window-seconds", "3600");
    properties.put("weir.rules[1].name", "calls");
    properties.put("weir.rules[1].allowed-requests", "1");
    properties.put("weir.rules[1].window-seconds", "3600");
    for (int i = 1; i < words.length; i++) {
      String[] property = words[i].split("=", 2);
      properties.put(property[0], property[1]);
    }
    try (Service service =
        words[0].equals("webflux")
            ? Service.onNetty(properties, Calls.class)
            : Service.onTomcat(properties, Calls.class)) {
      System.out.printf(
          "They got %d and %d%n",
          service.get("/quotes/1", "X-Forwarded-For", "192.0.2.1").status(),
          service.get("/quotes/1", "X-Forwarded-For", "192.0.2.2").status());
      Calls calls = service.part(Calls.class);
      calls.call();
      try {
        calls.call();
      } catch (RateLimitedException e) {
        System.out.println("A call was refused by " + e.rule());
      }
    }
  }
}
