package dev.weir.server.faults;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/**
 * Callers that ask nodes for slots at a steady pace, ask again with the same id until they have an
 * answer, and note each answer. Whatever a node does besides answering, refusing for want of its
 * database, or being excused, is kept as strange.
 */
final class Load implements AutoCloseable {
  private static final Duration BOUND = Duration.ofMinutes(3);
  private static final Instant MONDAY = Instant.parse("2030-06-03T06:00:00Z");
  private static final int SPAN_SECONDS = 3_000;
  private static final int MAX_STRANGE = 50;
  private static final int MAX_STREAM = 200;

  /** Callers that never pause would take the processor from a node that starts again. */
  private static final long PAUSE_NANOS = Duration.ofMillis(20).toNanos();

  /** Made by {@link #configure}; slots of the last are given back and confirmed. */
  private static final List<String> CONFIGS =
      List.of("default", "tight", "now", "hours", "dice", "moving", "ended");

  private final List<Target> targets;
  private final Journal journal;
  private final Queue<String> strange = new ConcurrentLinkedQueue<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<Future<?>> callers = new ArrayList<>();
  private volatile boolean ending;

  Load(List<Target> targets, Journal journal) {
    this.targets = targets;
    this.journal = journal;
  }

  /** Makes the configurations that the callers ask for. */
  static void configure(Api api) {
    configure(api, "{'configName':'tight','maxPerWindow':7,'windowSize':'PT1S'}");
    configure(
        api, "{'configName':'now','maxPerWindow':1000,'windowSize':'PT1S','notBefore':'now'}");
    configure(
        api,
        "{'configName':'hours','maxPerWindow':300,'windowSize':'PT1M','calendar':{'timeZone':"
            + "'Europe/Berlin','hours':{'monday':['09:00-10:00','11:10-11:11'],"
            + "'wednesday':['09:00-24:00']},'closedDates':['2030-06-05']}}");
    configure(api, "{'configName':'dice','maxPerWindow':50,'windowSize':'PT5S','spread':'random'}");
    configure(api, "{'configName':'moving','maxPerWindow':40,'windowSize':'PT4S'}");
    configure(api, "{'configName':'ended','maxPerWindow':40,'windowSize':'PT4S'}");
  }

  /** Asks again, as the callers do, while the node gives up its database after a short wait. */
  private static void configure(Api api, String json) {
    Waiting.until(
        "the configuration " + json,
        BOUND,
        () -> {
          HttpResponse<String> answer =
              api.post("/admin/rate-limit/config", json.replace('\'', '"'));
          if (answer.statusCode() >= 300 && !isStoreFailure(answer.body())) {
            throw new IllegalStateException(json + " was answered by " + answer.body());
          }
          return answer.statusCode() < 300;
        });
  }

  void start(int count) {
    for (int i = 0; i < count; i++) {
      String name = "c" + i;
      long seed = i;
      callers.add(threads.submit(() -> call(name, new SplittableRandom(seed))));
    }
  }

  /** Waits until a node has given this number of further answers. */
  void awaitAnswers(Target target, long more) {
    long enough = target.answers.get() + more;
    Waiting.until(
        more + " more answers of " + target + ", strange so far: " + strange,
        BOUND,
        () -> target.answers.get() >= enough || !strange.isEmpty());
  }

  /** Waits until a node has refused this number of further times. */
  void awaitRefusals(Target target, long more) {
    long enough = target.refusals.get() + more;
    Waiting.until(
        more + " more refusals of " + target,
        BOUND,
        () -> target.refusals.get() >= enough || !strange.isEmpty());
  }

  /** What should not have been seen. */
  List<String> strange() {
    return List.copyOf(strange);
  }

  /** Lets each caller finish what it is at, and waits for that. */
  void finish() throws InterruptedException, ExecutionException {
    ending = true;
    for (Future<?> caller : callers) {
      caller.get();
    }
  }

  @Override
  public void close() {
    ending = true;
    threads.shutdownNow();
    threads.close();
  }

  private Void call(String name, SplittableRandom random) throws Exception {
    for (int n = 0; !ending; n++) {
      String id = name + "-" + n;
      int first = random.nextInt(targets.size());
      switch (random.nextInt(20)) {
        case 0 -> stream(id, first, random);
        case 1, 2 -> onAllAtOnce(request(id, config(random), random));
        case 3 -> giveBack(id, first, random);
        default -> give(request(id, config(random), random), first);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    return null;
  }

  private static String config(SplittableRandom random) {
    return CONFIGS.get(random.nextInt(CONFIGS.size() - 1));
  }

  private static String request(String id, String config, SplittableRandom random) {
    long micros = random.nextLong(SPAN_SECONDS * 1_000_000L);
    String time =
        config.equals("now")
            ? ""
            : ",\"requestedTime\":\"%s\"".formatted(MONDAY.plusNanos(micros * 1_000));
    return "{\"eventId\":\"%s\",\"configName\":\"%s\"%s}".formatted(id, config, time);
  }

  /** The answer to a request, however often it has to be asked; empty if the load ends first. */
  private String give(String request, int first) throws IOException, InterruptedException {
    String answer = insist(first, 200, api -> api.post("/api/v1/slots", request));
    if (!answer.isEmpty()) {
      journal.note(answer);
    }
    return answer;
  }

  /** The same event asks on every node at the same moment. */
  private void onAllAtOnce(String request) throws InterruptedException, ExecutionException {
    List<Future<String>> copies = new ArrayList<>();
    for (int i = 0; i < targets.size(); i++) {
      int first = i;
      copies.add(threads.submit(() -> give(request, first)));
    }
    for (Future<String> copy : copies) {
      copy.get();
    }
  }

  private void giveBack(String id, int first, SplittableRandom random)
      throws IOException, InterruptedException {
    String answer = give(request(id, "ended", random), first);
    if (answer.isEmpty()) {
      return;
    }
    if (random.nextBoolean()) {
      String confirmed =
          insist(first, 200, api -> api.post("/api/v1/slots/" + id + "/confirm", ""));
      if (!confirmed.isEmpty()) {
        journal.note(confirmed);
      }
    } else {
      insist(first, 204, api -> api.delete("/api/v1/slots/" + id));
      if (!ending) {
        journal.note(answer.replace("}", ",\"state\":\"cancelled\"}"));
      }
    }
  }

  /** Asks one node after the other until one answers. */
  private String insist(int first, int good, Call call) throws InterruptedException {
    for (int i = first; !ending; i++) {
      Target target = targets.get(i % targets.size());
      Target.Excuse before = target.excuse();
      try {
        HttpResponse<String> response = call.on(target.api);
        if (response.statusCode() == good) {
          target.answers.incrementAndGet();
          return response.body();
        }
        refused(target, response);
      } catch (IOException e) {
        failed(target, before, e);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    return "";
  }

  /** A request to one node. */
  private interface Call {
    HttpResponse<String> on(Api api) throws IOException, InterruptedException;
  }

  private void refused(Target target, HttpResponse<String> response) {
    boolean proper =
        response.statusCode() == 503
            && response
                .headers()
                .firstValue("Content-Type")
                .orElse("")
                .equals("application/problem+json")
            && response.headers().firstValue("Retry-After").orElse("").matches("[1-9]\\d*")
            && isStoreFailure(response.body());
    if (proper) {
      target.refusals.incrementAndGet();
    } else {
      strange("%s answered %s %s".formatted(target, response, response.body()));
    }
  }

  private void failed(Target target, Target.Excuse before, IOException failure) {
    if (!before.covers(failure) && !target.excuse().covers(failure)) {
      strange("%s, excused %s, broke off: %s".formatted(target, before, failure));
    }
  }

  /** Many events in one stream, sent again until each has its answer. */
  private void stream(String id, int first, SplittableRandom random)
      throws IOException, InterruptedException {
    List<String> requests = new ArrayList<>();
    int lines = random.nextInt(1, MAX_STREAM);
    String config = config(random);
    for (int i = 0; i < lines; i++) {
      requests.add(request(id + "s" + i, config, random));
    }
    String body = String.join("\n", requests) + "\n";
    int given = 0;
    for (int i = first; !ending && given < lines; i++) {
      Target target = targets.get(i % targets.size());
      Target.Excuse before = target.excuse();
      Replies replies = new Replies(target, id);
      try {
        target.api.lines(body, replies);
        if (replies.lines != lines) {
          strange("%s answered %d of %d lines".formatted(target, replies.lines, lines));
        }
      } catch (IOException e) {
        failed(target, before, e);
      }
      given = replies.given;
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** The lines that come back from a stream. */
  private final class Replies implements Api.Line {
    private final Target target;
    private final String id;
    private int lines;
    private int given;

    Replies(Target target, String id) {
      this.target = target;
      this.id = id;
    }

    @Override
    public void answered(String line) throws IOException {
      if (!line.contains("\"eventId\":\"" + id + "s" + lines + "\"")) {
        strange("%s answered %s in place of line %d of %s".formatted(target, line, lines, id));
      } else if (line.contains("\"scheduledTime\"")) {
        journal.note(line);
        given++;
        target.answers.incrementAndGet();
      } else if (isStoreFailure(line)) {
        target.refusals.incrementAndGet();
      } else {
        strange("%s answered a line by %s".formatted(target, line));
      }
      lines++;
    }
  }

  private static boolean isStoreFailure(String problem) {
    return problem.contains("\"urn:weir:problem:store-unavailable\"");
  }

  private void strange(String what) {
    if (strange.size() < MAX_STRANGE) {
      strange.add(what);
    }
  }
}
