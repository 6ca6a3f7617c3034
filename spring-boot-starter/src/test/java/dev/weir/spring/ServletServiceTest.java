package dev.weir.spring;

import dev.weir.spring.autoconfigure.Service;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The service on Spring MVC and Tomcat. */
final class ServletServiceTest implements GateClaims {
  private static Service service;

  @BeforeAll
  static void start() {
    service = Service.onTomcat(GateClaims.properties(), GateClaims.StandingClock.class);
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
