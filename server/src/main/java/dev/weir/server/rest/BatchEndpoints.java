package dev.weir.server.rest;

import dev.weir.engine.slots.SlotDesk;
import io.micronaut.http.HttpRequest;
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
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.SynchronousSink;
import reactor.core.scheduler.Schedulers;

/** Many slots at once: a JSON array, or lines streamed both ways. */
@Controller("/api/v1/slots/batch")
@Needs(Needs.Role.CLIENT)
final class BatchEndpoints {
  static final String NDJSON = "application/x-ndjson";

  /** Answers are larger than what asks for them, and all of an array's are held at once. */
  static final int MOST_ENTRIES = 10_000;

  private static final Logger log = LoggerFactory.getLogger(BatchEndpoints.class);

  private final SlotDesk desk;
  private final RestSettings settings;
  private final ExecutorService virtualThreads;

  BatchEndpoints(
      SlotDesk desk,
      RestSettings settings,
      @Named(TaskExecutors.VIRTUAL) ExecutorService virtualThreads) {
    this.desk = desk;
    this.settings = settings;
    this.virtualThreads = virtualThreads;
  }

  /** One endpoint for both, so that what is sent alone decides: two would vie for a request. */
  @Post
  @Consumes({MediaType.APPLICATION_JSON, NDJSON})
  @Produces({MediaType.APPLICATION_JSON, NDJSON, Problem.MEDIA_TYPE})
  @ExecuteOn(TaskExecutors.VIRTUAL)
  HttpResponse<?> batch(ServerHttpRequest<?> request) throws IOException {
    return isLines(request) ? lines(request) : array(request);
  }

  static boolean isLines(HttpRequest<?> request) {
    return request.getContentType().filter(type -> type.getName().equals(NDJSON)).isPresent();
  }

  private HttpResponse<byte[]> array(ServerHttpRequest<?> request) throws IOException {
    byte[] body;
    try (InputStream in = request.byteBody().toInputStream()) {
      body = in.readNBytes(Bounds.LARGEST_BODY_BYTES + 1);
    }
    if (body.length > Bounds.LARGEST_BODY_BYTES) {
      throw new ProblemException(Bounds.tooLarge(request));
    }
    if (!(Json.read(body, 0, body.length) instanceof List<?> documents)) {
      throw new ProblemException(
          Problem.of(400, "invalid-request", "The JSON must be an array of requests."));
    }
    if (documents.size() > MOST_ENTRIES) {
      throw new ProblemException(
          Problem.of(
              413,
              "too-large",
              "An array may hold %d requests, not %d. Send lines, %s, for more."
                  .formatted(MOST_ENTRIES, documents.size(), NDJSON)));
    }
    Answers answers = new Answers();
    for (Object document : documents) {
      answers.add(() -> SlotJson.request(document, settings.defaultConfig()));
    }
    return HttpResponse.ok(answers.carryOut(desk, Answers.Form.ARRAY))
        .contentType(MediaType.APPLICATION_JSON_TYPE);
  }

  /**
   * Answers are made on demand of the connection, on a virtual thread: that is the back-pressure.
   */
  private HttpResponse<Publisher<byte[]>> lines(ServerHttpRequest<?> request) {
    Flux<byte[]> answers =
        Flux.generate(
            () ->
                new LineStream(
                    request.byteBody().toInputStream(),
                    desk,
                    settings.defaultConfig(),
                    virtualThreads),
            (stream, sink) -> {
              emitNext(stream, sink);
              return stream;
            },
            BatchEndpoints::close);
    return HttpResponse.<Publisher<byte[]>>ok(
            answers.subscribeOn(Schedulers.fromExecutor(virtualThreads)))
        .contentType(NDJSON);
  }

  private static void emitNext(LineStream stream, SynchronousSink<byte[]> sink) {
    try {
      stream.next().ifPresentOrElse(sink::next, sink::complete);
    } catch (IOException e) {
      log.debug("A client hung up in the middle of a stream: {}", e.getMessage());
      sink.error(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      sink.error(e);
    }
  }

  private static void close(LineStream stream) {
    try {
      stream.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
