package dev.weir.spring;

import dev.weir.spring.autoconfigure.Service;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The service on Spring MVC and Tomcat, whose requests wait without a thread. */
final class AsyncQueueServiceTest implements GateClaims {
  private static Service service;

  @BeforeAll
  static void start() {
    Map<String, Object> properties = GateClaims.properties();
    properties.put("weir.servlet.async-queue", "true");
    service = Service.onTomcat(properties, GateClaims.StandingClock.class);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Override
  public Service service() {
    return service;
  }
}
