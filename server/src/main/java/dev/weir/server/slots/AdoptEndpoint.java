package dev.weir.server.slots;

import dev.weir.http.endpoints.MediaTypes;
import dev.weir.http.endpoints.ReadsQuery;
import dev.weir.http.endpoints.RequiresRole;
import dev.weir.http.endpoints.StreamsLines;
import dev.weir.http.fields.Fields;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import dev.weir.internal.SlotNames;
import dev.weir.slots.Overfull;
import dev.weir.slots.SlotScheduler;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.ServerHttpRequest;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import jakarta.inject.Named;
import java.io.IOException;
import java.util.concurrent.ExecutorService;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes over the events of another system with the times that it has given them. */
@Controller("/admin/slots/adopt")
@RequiresRole(RequiresRole.Role.ADMIN)
@ExecuteOn(TaskExecutors.VIRTUAL)
final class AdoptEndpoint {
  private static final Logger log = LoggerFactory.getLogger(AdoptEndpoint.class);

  private final SlotScheduler slots;
  private final DefaultConfig defaultConfig;
  private final ExecutorService virtualThreads;

  AdoptEndpoint(
      SlotScheduler slots,
      DefaultConfig defaultConfig,
      @Named(TaskExecutors.VIRTUAL) ExecutorService virtualThreads) {
    this.slots = slots;
    this.defaultConfig = defaultConfig;
    this.virtualThreads = virtualThreads;
  }

  @Post
  @StreamsLines
  @ReadsQuery
  @Consumes(MediaTypes.NDJSON)
  @Produces({MediaTypes.NDJSON, Problem.MEDIA_TYPE})
  HttpResponse<Publisher<byte[]>> adopt(ServerHttpRequest<?> request) throws IOException {
    Fields query = Fields.of(request.getParameters());
    String name = query.text("configName", defaultConfig.name(), SlotNames::configNameProblem);
    Overfull overfull = query.choice("overfull", Overfull.values()).orElse(Overfull.REFUSE);
    query.refuseOtherParameters();
    query.throwIfWrong();
    if (slots.config(name).isEmpty()) {
      throw new ProblemException(SlotJson.unknownConfig(name));
    }
    log.info("Adopting events in configuration \"{}\", overfull={}", name, Fields.lower(overfull));
    return LineAnswers.to(
        new LineStream(
            request.byteBody().toInputStream(),
            () -> new AdoptLines(slots, name, overfull),
            virtualThreads),
        virtualThreads);
  }
}
