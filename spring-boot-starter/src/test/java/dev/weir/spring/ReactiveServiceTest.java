package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.rules.matching.KeyPart;
import dev.weir.spring.autoconfigure.Service;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The service on WebFlux and Netty. */
final class ReactiveServiceTest implements GateClaims {
  private static Service service;

  @BeforeAll
  static void start() {
    service = Service.onNetty(GateClaims.properties(), GateClaims.StandingClock.class);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Override
  public Service service() {
    return service;
  }

  @Test
  void aClientThatLeavesGivesItsPlaceInTheQueueBack() {
    GateClaims.takePlacesBefore(service, "archive", KeyPart.NONE);
    assertThat(service.get("/archive").status()).isEqualTo(200);
    CompletableFuture<HttpResponse<String>> waiting = service.send("/archive");
    Service.eventually(() -> waiting() == 1);
    waiting.cancel(true);
    // Long before the time that it would have waited.
    Service.eventually(() -> waiting() == 0);
    CompletableFuture<HttpResponse<String>> next = service.send("/archive");
    Service.eventually(() -> waiting() == 1);
    next.cancel(true);
    Service.eventually(() -> waiting() == 0);
  }

  private static double waiting() {
    return service.meters().get("weir.waiting").gauge().value();
  }
}
