package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.spring.autoconfigure.Service;
import dev.weir.spring.sample.LimitedOrders;
import dev.weir.spring.sample.Quotes;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.MethodBeforeAdvice;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** Methods that are limited by rules, in a service without a web server. */
final class RateLimitedTest {
  private static final long DELAY_MILLIS = 200;

  private final IllegalStateException lost = new IllegalStateException("lost");
  private Service service;
  private LimitedOrders orders;

  /** Rules that cover no path. */
  static Map<String, Object> properties() {
    Map<String, Object> properties = new HashMap<>();
    counted(properties, 0, "orders");
    counted(properties, 1, "queued");
    properties.put("weir.rules[1].queue-enabled", "true");
    properties.put("weir.rules[1].max-queue-size", "1");
    properties.put("weir.rules[1].delay-per-request-ms", Long.toString(DELAY_MILLIS));
    properties.put("weir.rules[2].name", "reports");
    properties.put("weir.rules[2].algorithm", "CONCURRENCY");
    properties.put("weir.rules[2].max-concurrent", "1");
    return properties;
  }

  private static void counted(Map<String, Object> properties, int at, String name) {
    properties.put("weir.rules[" + at + "].name", name);
    properties.put("weir.rules[" + at + "].allowed-requests", "1");
    properties.put("weir.rules[" + at + "].window-seconds", "3600");
  }

  @BeforeEach
  void start() {
    service = Service.bare(properties(), LimitedOrders.class, Quotes.Stocked.class);
    orders = service.part(LimitedOrders.class);
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private static RateLimitedException refused(Runnable call) {
    AtomicReference<RateLimitedException> refusal = new AtomicReference<>();
    assertThatExceptionOfType(RateLimitedException.class)
        .isThrownBy(call::run)
        .satisfies(refusal::set);
    return refusal.get();
  }

  @Test
  void countsEachKeyByItself() {
    assertThat(orders.order("anna", 1)).isEqualTo("anna's order");
    RateLimitedException refusal = refused(() -> orders.order("anna", 2));
    assertThat(refusal.rule()).isEqualTo("orders");
    assertThat(refusal.retryAfter()).isBetween(Duration.ofMinutes(59), Duration.ofMinutes(60));
    assertThat(refusal.getMessage()).contains("orders").doesNotContain("anna");
    assertThat(orders.order("bert", 3)).isEqualTo("bert's order");
    assertThat(orders.calls()).isEqualTo(2);
  }

  @Test
  void countsCallsWithoutAKeyTogether() {
    orders.order(null, 1);
    refused(() -> orders.order(null, 2));
    refused(() -> orders.order("  ", 3));
    assertThatNoException().isThrownBy(() -> orders.order("anna", 4));
  }

  @Test
  void countsAllCallsTogetherWithoutAnExpression() {
    orders.close("anna");
    refused(() -> orders.close("bert"));
  }

  @Test
  void keysMayBeAnyExpressionOfAnyLength() {
    String name = "n".repeat(300);
    orders.byExpression(new LimitedOrders.Order(name, 1));
    refused(() -> orders.byExpression(new LimitedOrders.Order(name, 1)));
    orders.byExpression(new LimitedOrders.Order(name + "n", 1));
  }

  @Test
  void limitsTheMethodsOfInterfaces() {
    Quotes quotes = service.part(Quotes.class);
    assertThat(quotes.quote("tea")).isEqualTo("tea: 7");
    refused(() -> quotes.quote("tea"));
  }

  /** Spring intercepts calls from one bean to another. */
  @Test
  void doesNotLimitWhatABeanCallsOfItself() {
    orders.orderTwice("anna");
    assertThat(orders.calls()).isEqualTo(2);
    assertThatNoException().isThrownBy(() -> orders.order("anna", 1));
  }

  @Test
  void waitsInTheQueueOfARule() {
    orders.queued("anna");
    long start = System.nanoTime();
    orders.queued("anna");
    assertThat(System.nanoTime() - start)
        .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(DELAY_MILLIS));
    assertThat(orders.calls()).isEqualTo(2);
  }

  @Test
  void aCallerThatIsInterruptedLeavesTheQueue() {
    orders.queued("anna");
    Thread.currentThread().interrupt();
    assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> orders.queued("anna"));
    assertThat(Thread.interrupted()).isTrue();
    assertThat(orders.calls()).isEqualTo(1);
    assertThatNoException().as("its place is free").isThrownBy(() -> orders.queued("anna"));
  }

  @Test
  void holdsItsPlaceUntilTheMethodReturnsOrThrows() {
    orders.report(() -> refused(() -> orders.report(() -> {})));
    for (int i = 0; i < 3; i++) {
      assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> orders.lostReport());
    }
    assertThatNoException().isThrownBy(() -> orders.report(() -> {}));
  }

  @Test
  void holdsItsPlaceUntilAStageEnds() throws Exception {
    for (int i = 0; i < 100; i++) {
      CompletableFuture<String> work = new CompletableFuture<>();
      CompletableFuture<String> report = orders.reportLater(work);
      if (i == 0) {
        refused(() -> orders.report(() -> {}));
      }
      Thread.startVirtualThread(() -> work.complete("done"));
      assertThat(report.get()).isEqualTo("done");
    }
    CompletableFuture<String> work = new CompletableFuture<>();
    CompletableFuture<String> report = orders.reportLater(work);
    report.cancel(true);
    assertThat(work).isCancelled();
    CompletableFuture<String> failed = orders.reportLater(CompletableFuture.failedFuture(lost));
    assertThat(failed)
        .failsWithin(Duration.ofMinutes(3))
        .withThrowableThat()
        .havingCause()
        .isSameAs(lost);
    assertThatNoException().isThrownBy(() -> orders.report(() -> {}));
  }

  @Test
  void callsAReactiveMethodForEachSubscription() {
    Mono<String> order = orders.orderReactively("anna");
    assertThat(orders.calls()).isZero();
    assertThat(order.block()).isEqualTo("anna's order");
    refused(order::block);
    assertThat(orders.calls()).isEqualTo(1);
  }

  @Test
  void holdsItsPlaceUntilAReactiveResultEndsOrIsCancelled() {
    for (int i = 0; i < 3; i++) {
      assertThat(orders.reports("a", "b").collectList().block()).containsExactly("a", "b");
    }
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(() -> orders.reportReactively(Mono.error(lost)).block());
    Disposable reader = orders.reportReactively(Mono.never()).subscribe();
    refused(() -> orders.reportReactively(Mono.just("a")).block());
    reader.dispose();
    assertThat(orders.reportReactively(Mono.just("a")).block()).isEqualTo("a");
  }

  @Test
  void aReactiveCallWaitsWithoutAThread() throws InterruptedException {
    assertThat(orders.queuedReactively("anna").block()).isEqualTo("order 1");
    CountDownLatch done = new CountDownLatch(1);
    AtomicReference<Thread> caller = new AtomicReference<>();
    long start = System.nanoTime();
    var waiting =
        orders
            .queuedReactively("anna")
            .subscribe(
                order -> {
                  caller.set(Thread.currentThread());
                  done.countDown();
                });
    assertThat(done.await(3, TimeUnit.MINUTES)).isTrue();
    assertThat(caller).as("this thread went on").doesNotHaveValue(Thread.currentThread());
    assertThat(System.nanoTime() - start)
        .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(DELAY_MILLIS));
    assertThat(waiting.isDisposed()).isTrue();
  }

  @Test
  void aSubscriberThatLeavesGivesItsPlaceInTheQueueBack() {
    Map<String, Object> slow = properties();
    slow.put("weir.rules[1].delay-per-request-ms", "30000");
    List<Throwable> refusals = new CopyOnWriteArrayList<>();
    try (Service other = Service.bare(slow, LimitedOrders.class)) {
      LimitedOrders queued = other.part(LimitedOrders.class);
      queued.queued("anna");
      for (int i = 0; i < 6; i++) {
        queued.queuedReactively("anna").subscribe(order -> {}, refusals::add).dispose();
      }
      assertThat(refusals).isEmpty();
      assertThat(queued.calls()).isEqualTo(1);
    }
  }

  /** A call that waits or is refused must not have opened a transaction. */
  @Configuration(proxyBeanMethods = false)
  static class Intercepted {
    private final AtomicInteger seen = new AtomicInteger();

    @Bean
    AtomicInteger seen() {
      return seen;
    }

    @Bean
    LimitedOrders orders() {
      ProxyFactory proxy = new ProxyFactory(new LimitedOrders());
      proxy.setProxyTargetClass(true);
      proxy.addAdvice((MethodBeforeAdvice) (method, args, target) -> seen.incrementAndGet());
      return (LimitedOrders) proxy.getProxy();
    }
  }

  @Test
  void decidesBeforeOtherInterceptors() {
    try (Service other = Service.bare(properties(), Intercepted.class)) {
      LimitedOrders intercepted = other.part(LimitedOrders.class);
      intercepted.order("anna", 1);
      refused(() -> intercepted.order("anna", 2));
      assertThat(other.part(AtomicInteger.class)).hasValue(1);
    }
  }

  /** Not only until it has been handed over to another thread. */
  @EnableAsync
  static class InTheBackground {
    @Async
    @RateLimited(rule = "reports")
    public void report(CountDownLatch started, CountDownLatch end) throws InterruptedException {
      started.countDown();
      end.await();
    }
  }

  @Test
  void holdsItsPlaceWhileAnAsynchronousMethodRuns() throws InterruptedException {
    try (Service other = Service.bare(properties(), LimitedOrders.class, InTheBackground.class)) {
      CountDownLatch started = new CountDownLatch(1);
      CountDownLatch end = new CountDownLatch(1);
      other.part(InTheBackground.class).report(started, end);
      assertThat(started.await(3, TimeUnit.MINUTES)).isTrue();
      LimitedOrders reports = other.part(LimitedOrders.class);
      refused(() -> reports.report(() -> {}));
      end.countDown();
      Service.eventually(() -> catchThrowable(() -> reports.report(() -> {})) == null);
    }
  }
}
