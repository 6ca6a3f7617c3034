package dev.weir.server.slots;

import dev.weir.http.endpoints.RequiresRole;
import dev.weir.http.endpoints.Responses;
import dev.weir.http.fields.Fields;
import dev.weir.http.fields.JsonDocument;
import dev.weir.http.problems.Problem;
import dev.weir.internal.Micros;
import dev.weir.slots.SlotScheduler;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes back leaked slots on request, as the reconciler does where it is configured to. */
@Controller("/api/v1/dashboard/reclaim")
@RequiresRole(RequiresRole.Role.ADMIN)
@ExecuteOn(TaskExecutors.VIRTUAL)
final class ReclaimEndpoint {
  private static final Logger log = LoggerFactory.getLogger(ReclaimEndpoint.class);

  private static final long DEFAULT_MAX = 1_000;
  private static final long MAX = 10_000;

  private final SlotScheduler slots;
  private final LeakGrace grace;

  ReclaimEndpoint(SlotScheduler slots, LeakGrace grace) {
    this.slots = slots;
    this.grace = grace;
  }

  @Post
  @Consumes(MediaType.APPLICATION_JSON)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> reclaim(@Body byte[] body) {
    Fields fields = Fields.of(JsonDocument.read(body, 0, body.length));
    Duration age = fields.duration("olderThan").orElse(grace.value());
    int max = (int) (long) fields.whole("max", 1, MAX).orElse(DEFAULT_MAX);
    Instant now = slots.now();
    if (age.compareTo(grace.value()) < 0) {
      // Its event may be running, and confirm it in a moment.
      fields.wrong(
          "olderThan",
          "must be at least %s: earlier a slot is not leaked (weir.slots.leak-grace)"
              .formatted(grace.value()));
    } else if (age.compareTo(Duration.between(Micros.instant(0), now)) > 0) {
      fields.wrong("olderThan", "must not reach back beyond 1970");
    }
    fields.refuseOthers();
    fields.throwIfWrong();
    int reclaimed = slots.reclaim(now.minus(age), max);
    if (reclaimed > 0) {
      log.info("Reclaimed {} slots that were due more than {} ago", reclaimed, age);
    }
    return Responses.json(
        json -> {
          json.writeStartObject();
          json.writeNumberField("reclaimed", reclaimed);
          json.writeBooleanField("more", reclaimed == max);
          json.writeEndObject();
        });
  }
}
