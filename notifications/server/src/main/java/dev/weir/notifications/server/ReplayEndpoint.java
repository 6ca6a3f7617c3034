package dev.weir.notifications.server;

import dev.weir.http.endpoints.ProblemTitles;
import dev.weir.http.endpoints.RequiresRole;
import dev.weir.http.endpoints.Responses;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import dev.weir.notifications.Replayed;
import dev.weir.notifications.kafka.KafkaUnavailableException;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes messages again that could not be delivered. It runs on a node, because only the node
 * can reach its embedded broker.
 */
@Controller("/api/admin/messages/replay")
@RequiresRole(RequiresRole.Role.ADMIN)
@ProblemTitles(
    invalid = NotificationProblems.INVALID,
    storeUnavailable = NotificationProblems.DATABASE_DOWN)
@ExecuteOn(TaskExecutors.VIRTUAL)
final class ReplayEndpoint {
  private static final Logger log = LoggerFactory.getLogger(ReplayEndpoint.class);

  private final AvailableNotifications available;

  ReplayEndpoint(AvailableNotifications available) {
    this.available = available;
  }

  @Post
  @Consumes(MediaType.ALL)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> replay() {
    Optional<Replayed> result;
    try {
      result = available.services().replay().get();
    } catch (KafkaUnavailableException e) {
      log.warn("The replay was aborted: {}", e.getMessage());
      throw new ProblemException(NotificationProblems.replayAborted(), Map.of("Retry-After", "1"));
    }
    Replayed done =
        result.orElseThrow(
            () ->
                new ProblemException(
                    NotificationProblems.replayRunning(), Map.of("Retry-After", "1")));
    log.info(
        "{} messages that could not be delivered were published again, and {} were left out",
        done.replayed(),
        done.skipped());
    return Responses.json(
        json -> {
          json.writeStartObject();
          json.writeNumberField("replayed", done.replayed());
          json.writeNumberField("skipped", done.skipped());
          json.writeEndObject();
        });
  }
}
