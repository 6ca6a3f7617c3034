package dev.weir.server.slots;

import dev.weir.http.bodies.BodyLimitFilter;
import dev.weir.http.bodies.BrokenBodyException;
import dev.weir.http.endpoints.MediaTypes;
import dev.weir.http.endpoints.RequiresRole;
import dev.weir.http.endpoints.StreamsLines;
import dev.weir.http.endpoints.TooLargeHint;
import dev.weir.http.fields.JsonDocument;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import dev.weir.slots.SlotScheduler;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.ServerHttpRequest;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import jakarta.inject.Named;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.SynchronousSink;
import reactor.core.scheduler.Schedulers;

/** Assigns many slots in one request: a JSON array, or lines streamed in both directions. */
@Controller("/api/v1/slots/batch")
@RequiresRole(RequiresRole.Role.CLIENT)
@TooLargeHint(SlotEndpoints.MANY_EVENTS)
final class BatchEndpoints {
  /**
   * Max entries of an array. Responses are larger than their requests, and all responses to an
   * array are in memory at the same time.
   */
  static final int MAX_ENTRIES = 10_000;

  private static final Logger log = LoggerFactory.getLogger(BatchEndpoints.class);

  private final SlotScheduler scheduler;
  private final DefaultConfig defaultConfig;
  private final ExecutorService virtualThreads;

  BatchEndpoints(
      SlotScheduler scheduler,
      DefaultConfig defaultConfig,
      @Named(TaskExecutors.VIRTUAL) ExecutorService virtualThreads) {
    this.scheduler = scheduler;
    this.defaultConfig = defaultConfig;
    this.virtualThreads = virtualThreads;
  }

  /**
   * Assigns the slots of an array or of lines. One endpoint serves both, so that only the content
   * type decides: two endpoints would compete for a request.
   */
  @Post
  @StreamsLines
  @Consumes({MediaType.APPLICATION_JSON, MediaTypes.NDJSON})
  @Produces({MediaType.APPLICATION_JSON, MediaTypes.NDJSON, Problem.MEDIA_TYPE})
  @ExecuteOn(TaskExecutors.VIRTUAL)
  HttpResponse<?> batch(ServerHttpRequest<?> request) throws IOException {
    return MediaTypes.isNdjson(request) ? lines(request) : array(request);
  }

  private HttpResponse<byte[]> array(ServerHttpRequest<?> request) throws IOException {
    byte[] body;
    try (InputStream in = request.byteBody().toInputStream()) {
      body = in.readNBytes(BodyLimitFilter.MAX_BODY_BYTES + 1);
    }
    if (body.length > BodyLimitFilter.MAX_BODY_BYTES) {
      throw new ProblemException(BodyLimitFilter.tooLarge(request));
    }
    if (!(JsonDocument.read(body, 0, body.length) instanceof List<?> documents)) {
      throw new ProblemException(
          Problem.of(400, "invalid-request", "The JSON must be an array of requests."));
    }
    if (documents.size() > MAX_ENTRIES) {
      throw new ProblemException(
          Problem.of(
              413,
              "too-large",
              "An array may hold %d requests, not %d. Send lines, %s, for more."
                  .formatted(MAX_ENTRIES, documents.size(), MediaTypes.NDJSON)));
    }
    BatchResponses answers = new BatchResponses();
    for (Object document : documents) {
      answers.add(() -> SlotJson.request(document, defaultConfig.name()));
    }
    return HttpResponse.ok(answers.execute(scheduler, BatchResponses.Form.ARRAY))
        .contentType(MediaType.APPLICATION_JSON_TYPE);
  }

  /**
   * Streams lines. Responses are generated when the connection demands them, on a virtual thread,
   * which applies back-pressure.
   */
  private HttpResponse<Publisher<byte[]>> lines(ServerHttpRequest<?> request) throws IOException {
    LineStream stream =
        new LineStream(
            request.byteBody().toInputStream(), scheduler, defaultConfig.name(), virtualThreads);
    // The status waits for the first responses: a body that is broken from its start is a 400.
    Sending sending = new Sending(stream, first(stream));
    Flux<byte[]> answers =
        Flux.generate(
            () -> sending,
            (state, sink) -> {
              state.emitNext(sink);
              return state;
            },
            Sending::close);
    return HttpResponse.<Publisher<byte[]>>ok(
            answers.subscribeOn(Schedulers.fromExecutor(virtualThreads)))
        .contentType(MediaTypes.NDJSON);
  }

  private static Optional<byte[]> first(LineStream stream) throws IOException {
    boolean isBegun = false;
    try {
      Optional<byte[]> first = stream.next();
      isBegun = true;
      return first;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("stopped before the first answer");
    } finally {
      if (!isBegun) {
        stream.close();
      }
    }
  }

  /**
   * The responses of a stream that has begun. If the rest of its body is broken, the last line is a
   * problem and the connection is closed, so that the responses do not look complete.
   */
  private static final class Sending {
    private final LineStream stream;
    private final Optional<byte[]> first;
    private boolean isBegun;
    private @Nullable IOException broken;

    Sending(LineStream stream, Optional<byte[]> first) {
      this.stream = stream;
      this.first = first;
    }

    void emitNext(SynchronousSink<byte[]> sink) {
      if (broken != null) {
        sink.error(broken);
        return;
      }
      try {
        Optional<byte[]> next = isBegun ? stream.next() : first;
        isBegun = true;
        next.ifPresentOrElse(sink::next, sink::complete);
      } catch (IOException e) {
        log.debug("A stream broke off: {}", e.getMessage());
        if (BrokenBodyException.isIn(e)) {
          broken = e;
          sink.next(line(BrokenBodyException.PROBLEM));
        } else {
          sink.error(e);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        sink.error(e);
      }
    }

    private static byte[] line(Problem problem) {
      byte[] json = problem.toJson();
      byte[] line = Arrays.copyOf(json, json.length + 1);
      line[json.length] = '\n';
      return line;
    }

    void close() {
      try {
        stream.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
