package dev.weir.spring.sample;

import dev.weir.spring.RateLimited;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A bean with limited methods. */
public class LimitedOrders {
  private final AtomicInteger calls = new AtomicInteger();

  /** Calls that were not refused. */
  public int calls() {
    return calls.get();
  }

  /** Limited by the customer. */
  @RateLimited(rule = "orders", key = "#customer")
  public String order(String customer, int article) {
    calls.incrementAndGet();
    return customer + "'s order";
  }

  /** Calls itself. */
  public void orderTwice(String customer) {
    order(customer, 1);
    order(customer, 2);
  }

  /** An order. */
  public record Order(String customer, int article) {}

  /** Limited by two properties. */
  @RateLimited(rule = "orders", key = "#order.customer() + ':' + #a0.article")
  public void byExpression(Order order) {
    calls.incrementAndGet();
  }

  /** Limited for all together. */
  @RateLimited(rule = "orders")
  public void close(String customer) {
    calls.incrementAndGet();
  }

  /** Waits for its turn. */
  @RateLimited(rule = "queued", key = "#customer")
  public void queued(String customer) {
    calls.incrementAndGet();
  }

  /** Waits for its turn. */
  @RateLimited(rule = "queued", key = "#customer")
  public Mono<String> queuedReactively(String customer) {
    return Mono.just("order " + calls.incrementAndGet());
  }

  /** One at a time. */
  @RateLimited(rule = "reports")
  public void report(Runnable work) {
    work.run();
  }

  /** One at a time, and it fails. */
  @RateLimited(rule = "reports")
  public void lostReport() {
    throw new UncheckedIOException(new IOException("lost"));
  }

  /** One at a time, as long as the work takes. */
  @RateLimited(rule = "reports")
  public CompletableFuture<String> reportLater(CompletableFuture<String> work) {
    return work;
  }

  /** One at a time, as long as the work takes. */
  @RateLimited(rule = "reports")
  public Mono<String> reportReactively(Mono<String> work) {
    return work;
  }

  /** One at a time, until all are read. */
  @RateLimited(rule = "reports")
  public Flux<String> reports(String... names) {
    return Flux.just(names);
  }

  /** Limited by the customer. */
  @RateLimited(rule = "orders", key = "#customer")
  public Mono<String> orderReactively(String customer) {
    return Mono.just(order(customer, 1));
  }
}
