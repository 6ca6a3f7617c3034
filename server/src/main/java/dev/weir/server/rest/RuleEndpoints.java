package dev.weir.server.rest;

import dev.weir.engine.rules.Allowance;
import dev.weir.engine.rules.Request;
import dev.weir.engine.rules.Rule;
import dev.weir.engine.rules.RuleChange;
import dev.weir.engine.rules.RuleDesk;
import dev.weir.engine.rules.RuleVersion;
import dev.weir.engine.rules.Rules;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Patch;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.Put;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Rules: make, change and remove them, look at them, have every node read them anew. */
@Controller("/api/admin/rules")
@Needs(Needs.Role.ADMIN)
@ExecuteOn(TaskExecutors.VIRTUAL)
final class RuleEndpoints {
  private static final Logger log = LoggerFactory.getLogger(RuleEndpoints.class);
  private static final String ID = "/{id:[^/]+}";
  private static final int ID_SEGMENT = 4;

  private final Limits limits;

  RuleEndpoints(Limits limits) {
    this.limits = limits;
  }

  @Get
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> all() {
    return list(limits.rules().all());
  }

  @Get("/active")
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> active() {
    return list(limits.rules().all().stream().filter(rule -> rule.terms().isActive()).toList());
  }

  @Get(ID)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> find(HttpRequest<?> request) {
    long id = id(request);
    return answer(HttpStatus.OK, limits.rules().find(id).orElseThrow(() -> unknown(request)));
  }

  @Post
  @Consumes(MediaType.APPLICATION_JSON)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> create(HttpRequest<?> request, @Body byte[] body) {
    Rule.Terms terms = RuleJson.read(Json.read(body, 0, body.length));
    Rule rule =
        done(request, terms.name(), limits.rules().create(terms, Caller.of(request))).rule();
    log.info("Rule changed: none → {}", text(rule));
    return answer(HttpStatus.CREATED, rule)
        .header(HttpHeaders.LOCATION, "/api/admin/rules/" + rule.id());
  }

  @Put(ID)
  @Consumes(MediaType.APPLICATION_JSON)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> change(HttpRequest<?> request, @Body byte[] body) {
    long id = id(request);
    Rule.Terms terms = RuleJson.read(Json.read(body, 0, body.length));
    RuleChange change =
        limits.rules().change(id, IfMatch.version(request), terms, Caller.of(request));
    return answer(HttpStatus.OK, changed(request, terms.name(), change));
  }

  private Rule changed(HttpRequest<?> request, String name, RuleChange change) {
    RuleChange.Done done = done(request, name, change);
    log.info("Rule changed: {} → {}", text(done.before().orElseThrow()), text(done.rule()));
    return done.rule();
  }

  /** Changes how one may wait beyond a limit, and nothing else. */
  @Patch(ID + "/queue")
  @Consumes(MediaType.APPLICATION_JSON)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> changeQueue(HttpRequest<?> request, @Body byte[] body) {
    long id = id(request);
    Rule rule = limits.rules().find(id).orElseThrow(() -> unknown(request));
    Fields fields = Fields.of(Json.read(body, 0, body.length));
    if (!(rule.terms().allowance() instanceof Allowance.Rate rate)) {
      throw new ProblemException(
          Problem.of(409, "no-queue", "A rule of concurrency has no queue."));
    }
    Allowance.Waiting waiting = RuleJson.waiting(fields, rate.waiting());
    fields.refuseOthers();
    fields.throwIfWrong();
    int known = IfMatch.version(request);
    // Without a version of the caller's, that of the rule that was read: nothing else may change.
    RuleChange change =
        limits
            .rules()
            .change(
                id,
                known == Rules.ANY_VERSION ? rule.version() : known,
                rule.terms().allowing(new Allowance.Rate(rate.limit(), waiting)),
                Caller.of(request));
    return answer(HttpStatus.OK, changed(request, rule.name(), change));
  }

  /** How a rule came to be what it is. */
  @Get(ID + "/versions")
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> versions(HttpRequest<?> request) {
    List<RuleVersion> versions = limits.rules().versions(id(request));
    if (versions.isEmpty()) {
      throw unknown(request);
    }
    return Responses.json(
        json -> {
          json.writeStartArray();
          for (RuleVersion version : versions) {
            json.writeStartObject();
            RuleJson.writeMembers(json, version.rule());
            json.writeStringField("changedBy", version.changedBy());
            json.writeBooleanField("removed", version.isRemoval());
            json.writeEndObject();
          }
          json.writeEndArray();
        });
  }

  /** Which rules would cover a request, and what they would say. Takes nothing. */
  @Post("/explain")
  @Consumes(MediaType.APPLICATION_JSON)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> explain(@Body byte[] body) {
    Request described = ExplainJson.read(Fields.of(Json.read(body, 0, body.length)));
    RuleDesk.Explanation explanation = limits.desk().explain(described);
    return Responses.json(json -> ExplainJson.write(json, described, explanation));
  }

  @Delete(ID)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> remove(HttpRequest<?> request) {
    RuleChange.Done done =
        done(
            request,
            "",
            limits.rules().remove(id(request), IfMatch.version(request), Caller.of(request)));
    log.info("Rule changed: {} → none", text(done.rule()));
    return HttpResponse.noContent();
  }

  @Post("/refresh")
  @Consumes(MediaType.ALL)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> refresh() {
    limits.refreshEverywhere().run();
    limits.book().refresh();
    return HttpResponse.noContent();
  }

  /** Other nodes are told by the store; who asks this one next must not meet the old rule. */
  private RuleChange.Done done(HttpRequest<?> request, String name, RuleChange change) {
    return switch (change) {
      case RuleChange.Done done -> {
        limits.book().refresh();
        yield done;
      }
      case RuleChange.Unknown unknown -> throw unknown(request);
      case RuleChange.Stale stale ->
          throw new ProblemException(
              Problem.of(
                  412,
                  "rule-changed",
                  "Somebody has changed the rule: its version is %d now."
                      .formatted(stale.current().version())));
      case RuleChange.NameTaken taken ->
          throw new ProblemException(
              Problem.of(409, "name-taken", "There is a rule \"%s\" already.".formatted(name)));
      case RuleChange.TooMany many ->
          throw new ProblemException(
              Problem.of(
                  409, "too-many-rules", "There are %d rules already.".formatted(Rules.MOST)));
    };
  }

  private static HttpResponse<byte[]> list(List<Rule> rules) {
    return Responses.json(
        json -> {
          json.writeStartArray();
          for (Rule rule : rules) {
            RuleJson.write(json, rule);
          }
          json.writeEndArray();
        });
  }

  private static MutableHttpResponse<byte[]> answer(HttpStatus status, Rule rule) {
    return Responses.json(status, json -> RuleJson.write(json, rule))
        .header(HttpHeaders.ETAG, "\"" + rule.version() + "\"");
  }

  /** What is no number is no rule's id. */
  private static long id(HttpRequest<?> request) {
    try {
      return Long.parseLong(PathSegment.of(request, ID_SEGMENT));
    } catch (NumberFormatException e) {
      throw unknown(request);
    }
  }

  private static ProblemException unknown(HttpRequest<?> request) {
    return new ProblemException(
        Problem.of(
            404,
            "unknown-rule",
            "There is no rule with the id %s."
                .formatted(Excerpt.of(PathSegment.of(request, ID_SEGMENT)))));
  }

  private static String text(Rule rule) {
    return new String(Json.bytes(json -> RuleJson.write(json, rule)), StandardCharsets.UTF_8);
  }
}
