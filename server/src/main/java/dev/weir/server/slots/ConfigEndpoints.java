package dev.weir.server.slots;

import dev.weir.http.endpoints.EntityTag;
import dev.weir.http.endpoints.IfMatch;
import dev.weir.http.endpoints.ReadsQuery;
import dev.weir.http.endpoints.RequiresRole;
import dev.weir.http.endpoints.Responses;
import dev.weir.http.fields.Fields;
import dev.weir.http.fields.JsonDocument;
import dev.weir.http.json.Json;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import dev.weir.internal.SlotNames;
import dev.weir.slots.InvalidSlotPolicyException;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotScheduler;
import dev.weir.slots.internal.ConfigBroadcast;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Manages configurations: create the next version, read them, and flush the caches of all nodes.
 */
@Controller("/admin/rate-limit")
@RequiresRole(RequiresRole.Role.ADMIN)
@ExecuteOn(TaskExecutors.VIRTUAL)
final class ConfigEndpoints {
  private static final Logger log = LoggerFactory.getLogger(ConfigEndpoints.class);

  private final SlotScheduler slots;
  private final ConfigBroadcast broadcast;
  private final DefaultConfig defaultConfig;

  ConfigEndpoints(SlotScheduler slots, ConfigBroadcast broadcast, DefaultConfig defaultConfig) {
    this.slots = slots;
    this.broadcast = broadcast;
    this.defaultConfig = defaultConfig;
  }

  @Post("/config")
  @Consumes(MediaType.APPLICATION_JSON)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> configure(HttpRequest<?> request, @Body byte[] body) {
    ConfigJson.Wanted wanted = ConfigJson.read(JsonDocument.read(body, 0, body.length));
    Optional<SlotConfig> inForce = slots.config(wanted.name());
    String before = inForce.map(ConfigEndpoints::text).orElse("none");
    SlotConfig stored;
    try {
      stored = store(request, wanted, inForce);
    } catch (InvalidSlotPolicyException e) {
      throw new ProblemException(wanted.problem(e));
    }
    if (inForce.filter(stored::equals).isPresent()) {
      return answer(HttpStatus.OK, stored);
    }
    log.info("Configuration changed: {} → {}", before, text(stored));
    return answer(HttpStatus.CREATED, stored);
  }

  /**
   * Stores the next version, if the version in force is one that the caller accepts. Returns the
   * version in force if that has the wanted policy already: a caller that repeats its request, or
   * sends its configurations at each start, makes no history.
   */
  private SlotConfig store(
      HttpRequest<?> request, ConfigJson.Wanted wanted, Optional<SlotConfig> inForce) {
    List<String> excluded = request.getHeaders().getAll(HttpHeaders.IF_NONE_MATCH);
    if (!excluded.isEmpty()) {
      refuseUnlessAny(String.join(",", excluded), inForce);
      return slots
          .configure(wanted.name(), 0, wanted.policy())
          .orElseThrow(
              () -> exists("There is a configuration \"%s\" already.".formatted(wanted.name())));
    }
    IfMatch accepted = IfMatch.of(request);
    if (accepted.isAny()) {
      // A configuration is never removed, so one that is there stays.
      if (inForce.isEmpty() && !accepted.isAnyOrNone()) {
        throw changed(wanted.name());
      }
      return slots.configure(wanted.name(), wanted.policy());
    }
    SlotConfig known = inForce.orElseThrow(() -> changed(wanted.name()));
    int expected = accepted.version(() -> tag(known));
    return inForce
        .filter(config -> config.version() == expected)
        .filter(config -> config.policy().equals(wanted.policy()))
        .or(() -> slots.configure(wanted.name(), expected, wanted.policy()))
        .orElseThrow(() -> changed(wanted.name()));
  }

  /** Only {@code *} makes sense here: a version is replaced by the next one, never by another. */
  private static void refuseUnlessAny(String excluded, Optional<SlotConfig> inForce) {
    if (excluded.strip().equals("*")) {
      return;
    }
    if (inForce.isPresent()) {
      String tag = tag(inForce.get()).header();
      for (String member : excluded.split(",", -1)) {
        // Weak comparison (RFC 9110, 13.1.2).
        if (member.strip().equals(tag) || member.strip().equals("W/" + tag)) {
          throw exists("The version in force is one that If-None-Match excludes: " + tag + ".");
        }
      }
    }
    throw new ProblemException(
        Problem.of(
            400,
            "bad-request",
            "If-None-Match must be *; If-Match names the version that is meant."));
  }

  private static ProblemException exists(String detail) {
    return new ProblemException(Problem.of(412, "config-exists", detail));
  }

  private ProblemException changed(String name) {
    return new ProblemException(
        Problem.of(
            412,
            "config-changed",
            slots
                .config(name)
                .map(
                    config ->
                        "The configuration has been changed: its version is now %d."
                            .formatted(config.version()))
                .orElse("There is no configuration \"%s\".".formatted(name))));
  }

  private static HttpResponse<byte[]> answer(HttpStatus status, SlotConfig config) {
    return Responses.json(status, json -> ConfigJson.write(json, config, true))
        .header(HttpHeaders.ETAG, tag(config).header());
  }

  private static EntityTag tag(SlotConfig config) {
    return new EntityTag(config.version(), config.createdAt());
  }

  @Get("/config")
  @ReadsQuery
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> config(HttpRequest<?> request) {
    String name = name(request);
    SlotConfig config =
        slots.config(name).orElseThrow(() -> new ProblemException(SlotJson.unknownConfig(name)));
    return answer(HttpStatus.OK, config);
  }

  @Get("/config/history")
  @ReadsQuery
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> history(HttpRequest<?> request) {
    String name = name(request);
    List<SlotConfig> versions = slots.history(name);
    if (versions.isEmpty()) {
      throw new ProblemException(SlotJson.unknownConfig(name));
    }
    return Responses.json(
        json -> {
          json.writeStartArray();
          for (SlotConfig version : versions) {
            ConfigJson.write(json, version, version.equals(versions.getFirst()));
          }
          json.writeEndArray();
        });
  }

  @Get("/configs")
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> active() {
    List<SlotConfig> active = slots.configs();
    return Responses.json(
        json -> {
          json.writeStartArray();
          for (SlotConfig config : active) {
            ConfigJson.write(json, config, true);
          }
          json.writeEndArray();
        });
  }

  @Post("/cache/flush")
  @Consumes(MediaType.ALL)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> flush() {
    broadcast.flushEverywhere();
    return HttpResponse.noContent();
  }

  private static String text(SlotConfig config) {
    return new String(
        Json.bytes(json -> ConfigJson.write(json, config, true)), StandardCharsets.UTF_8);
  }

  private String name(HttpRequest<?> request) {
    Fields query = Fields.of(request.getParameters());
    String name = query.text("name", defaultConfig.name(), SlotNames::configNameProblem);
    query.refuseOtherParameters();
    query.throwIfWrong();
    return name;
  }
}
