package dev.weir.torture.stage;

import dev.weir.server.faults.Api;
import dev.weir.server.faults.Waiting;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.history.History;
import dev.weir.torture.history.Json;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Sends requests to the nodes and records each with its answer. Thread-safe. */
public final class Client {
  /** The header fields that {@link #send} records. */
  public static final List<String> FIELDS =
      List.of(
          "ETag",
          "X-RateLimit-Limit",
          "X-RateLimit-Queued",
          "X-RateLimit-Delay-Ms",
          "Weir-Decision");

  private final Stage stage;
  private final History history;

  public Client(Stage stage, History history) {
    this.stage = stage;
    this.history = history;
  }

  /** What a request is about. */
  public record Matter(String kind, String subject) {}

  /** A request to a node. */
  private interface Call {
    HttpResponse<String> on(Api api) throws IOException, InterruptedException;
  }

  public int nodes() {
    return stage.nodes().size();
  }

  public Exchange get(Matter matter, int node, String path) {
    return send(matter, node, path, api -> api.get(path));
  }

  public Exchange post(Matter matter, int node, String path, String json) {
    return send(matter, node, json, api -> api.post(path, json));
  }

  public Exchange postCsv(Matter matter, int node, String path, String csv) {
    return send(matter, node, csv, api -> api.post(path, csv, "text/csv"));
  }

  /** Sends a request that can be repeated. */
  public Exchange postOnce(Matter matter, int node, String path, String json, String key) {
    return send(matter, node, json, api -> api.postOnce(path, json, key));
  }

  public Exchange put(Matter matter, int node, String path, String json) {
    return send(matter, node, json, api -> api.put(path, json));
  }

  public Exchange delete(Matter matter, int node, String path) {
    return send(matter, node, path, api -> api.delete(path));
  }

  /**
   * Sends a request with header fields of its own. The recorded answer is an object of the fields
   * {@link #FIELDS} that came, and of the {@code body}.
   *
   * @param text what is recorded of the request
   */
  public Exchange send(
      Matter matter,
      int node,
      String path,
      UnaryOperator<HttpRequest.Builder> request,
      String text) {
    return send(matter, node, text, api -> api.send(path, request), Client::withFields);
  }

  private static String withFields(HttpResponse<String> answer) {
    List<Object> members = new ArrayList<>();
    for (String field : FIELDS) {
      answer.headers().firstValue(field).ifPresent(value -> members.addAll(List.of(field, value)));
    }
    if (answer.body().contains("\"outcome\":\"none\"")) {
      members.addAll(List.of("outcome", "none"));
    }
    members.addAll(List.of("body", answer.body()));
    return Json.write(members.toArray());
  }

  /** A request that is not one to the API. */
  public interface OtherCall {
    Answer send() throws IOException;
  }

  /** What is recorded of an answer. */
  public record Answer(int status, String text) {}

  /** Records a request of another kind. */
  public Exchange record(Matter matter, int node, String request, OtherCall call) {
    Begun begun = new Begun(matter, node, request);
    try {
      Answer answer = call.send();
      return begun.ended(answer.status(), answer.text());
    } catch (IOException e) {
      return begun.ended(0, e.toString());
    }
  }

  /** Repeats a request until it is answered with one of these statuses. */
  public Exchange until(Supplier<Exchange> request, Integer... statuses) {
    List<Exchange> attempts = new ArrayList<>();
    Waiting.until(
        "an answer with one of " + List.of(statuses),
        () -> {
          attempts.add(request.get());
          return List.of(statuses).contains(attempts.getLast().status());
        });
    return attempts.getLast();
  }

  private Exchange send(Matter matter, int node, String request, Call call) {
    return send(matter, node, request, call, HttpResponse::body);
  }

  private Exchange send(
      Matter matter,
      int node,
      String request,
      Call call,
      Function<HttpResponse<String>, String> text) {
    Begun begun = new Begun(matter, node, request);
    try {
      HttpResponse<String> answer = call.on(api(node));
      return begun.ended(answer.statusCode(), text.apply(answer));
    } catch (IOException e) {
      return begun.ended(0, e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return begun.ended(0, e.toString());
    }
  }

  /**
   * Sends lines of slot requests in one stream. Each line becomes an exchange.
   *
   * @param matters what each line is about
   */
  public List<Exchange> stream(List<Matter> matters, int node, List<String> lines) {
    List<Begun> begun = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      begun.add(new Begun(matters.get(i), node, lines.get(i)));
    }
    List<Exchange> exchanges = new ArrayList<>();
    String failure = "the stream ended early";
    try {
      api(node)
          .lines(
              String.join("\n", lines) + "\n",
              line -> {
                // A problem of the whole request is one line too many for nobody.
                if (exchanges.size() < begun.size()) {
                  exchanges.add(begun.get(exchanges.size()).ended(statusOf(line), line));
                }
              });
    } catch (IOException e) {
      failure = e.toString();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      failure = e.toString();
    }
    while (exchanges.size() < begun.size()) {
      exchanges.add(begun.get(exchanges.size()).ended(0, failure));
    }
    return exchanges;
  }

  /** A slot has no status, a problem has. */
  private static int statusOf(String line) {
    int at = line.indexOf("\"status\":");
    boolean isProblem = line.contains("\"type\":\"urn:weir:problem:") && at >= 0;
    if (!isProblem) {
      return line.contains("\"scheduledTime\"") ? 200 : 0;
    }
    int from = at + "\"status\":".length();
    return Integer.parseInt(line.substring(from, from + 3));
  }

  private Api api(int node) {
    return stage.nodes().get(node).api();
  }

  /** A request that is on its way. */
  private final class Begun {
    private final Matter matter;
    private final int node;
    private final String request;
    private final long number = history.next();
    private final long beginNanos = System.nanoTime();

    /** Read second: after a pause in between, moments that are derived are late, never early. */
    private final Instant beganAt = Instant.now();

    Begun(Matter matter, int node, String request) {
      this.matter = matter;
      this.node = node;
      this.request = request;
    }

    Exchange ended(int status, String answer) {
      Exchange exchange =
          new Exchange(
              number,
              matter.kind(),
              matter.subject(),
              node + 1,
              request,
              beginNanos,
              beganAt,
              System.nanoTime(),
              status,
              answer);
      history.add(exchange);
      return exchange;
    }
  }
}
