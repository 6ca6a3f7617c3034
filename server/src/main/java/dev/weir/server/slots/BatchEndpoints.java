package dev.weir.server.slots;

import dev.weir.http.bodies.BodyLimitFilter;
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
import java.util.List;
import java.util.concurrent.ExecutorService;
import org.reactivestreams.Publisher;

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

  private HttpResponse<Publisher<byte[]>> lines(ServerHttpRequest<?> request) throws IOException {
    return LineAnswers.to(
        new LineStream(
            request.byteBody().toInputStream(),
            () -> new AssignLines(scheduler, defaultConfig.name()),
            virtualThreads),
        virtualThreads);
  }
}
