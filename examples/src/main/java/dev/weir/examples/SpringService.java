package dev.weir.examples;

import dev.weir.spring.RateLimited;
import dev.weir.spring.RateLimitedException;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Limits a method of a Spring bean, by the rule "orders" in {@code application.yaml}: two calls a
 * minute for each user. Calls beyond it throw; in a web application they are answered with 429.
 */
@EnableAutoConfiguration
public class SpringService {
  /** Takes an order. */
  @RateLimited(rule = "orders", key = "#userId")
  public String order(String userId) {
    return "an order of " + userId;
  }

  public static void main(String... args) {
    try (ConfigurableApplicationContext context = SpringApplication.run(SpringService.class)) {
      SpringService service = context.getBean(SpringService.class);
      for (String user : new String[] {"anna", "anna", "anna", "bert"}) {
        try {
          System.out.println(service.order(user));
        } catch (RateLimitedException e) {
          System.out.printf("refused, retry after %d s%n", e.retryAfter().toSeconds());
        }
      }
    }
  }
}
