package dev.weir.spring.sample;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The endpoints of the service. Tests decide when reports are finished. */
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

  /** The thread that serves a request. */
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

  /** Reports in progress. */
  public Queue<CompletableFuture<String>> reports() {
    return reports;
  }
}
