package dev.weir.spring.sample;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** What the service does. Reports are finished when a test says so. */
@RestController
public class OrderEndpoints {
  /** Set by a filter of the service. */
  public static final String SIGNED = "X-Signed";

  private final Queue<CompletableFuture<String>> reports = new ConcurrentLinkedQueue<>();

  @GetMapping({
    "/orders/{id}",
    "/orders",
    "/quotes/{id}",
    "/letters",
    "/archive",
    "/offers",
    "/drafts"
  })
  String order() {
    return "order";
  }

  /** On which thread a request is served. */
  @GetMapping("/threads/{id}")
  String thread() {
    return Thread.currentThread().toString();
  }

  @GetMapping("/reports/short")
  String report() {
    return "report";
  }

  @GetMapping("/reports/long")
  CompletableFuture<String> longReport() {
    CompletableFuture<String> report = new CompletableFuture<>();
    reports.add(report);
    return report;
  }

  /** Reports that are being worked on. */
  public Queue<CompletableFuture<String>> reports() {
    return reports;
  }
}
