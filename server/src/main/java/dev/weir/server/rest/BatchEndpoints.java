package dev.weir.server.rest;

import dev.weir.engine.slots.SlotDesk;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.ServerHttpRequest;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import jakarta.inject.Named;
import java.io.IOException;
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

  @Post
  @Consumes(MediaType.APPLICATION_JSON)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  @ExecuteOn(TaskExecutors.VIRTUAL)
  HttpResponse<byte[]> array(@Body byte[] body) {
    if (!(Json.read(body, 0, body.length) instanceof List<?> documents)) {
      throw new ProblemException(
          Problem.of(400, "invalid-request", "The JSON must be an array of requests."));
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
  @Post
  @Consumes(NDJSON)
  @Produces({NDJSON, Problem.MEDIA_TYPE})
  HttpResponse<Publisher<byte[]>> lines(ServerHttpRequest<?> request) {
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
    return HttpResponse.ok(answers.subscribeOn(Schedulers.fromExecutor(virtualThreads)));
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
