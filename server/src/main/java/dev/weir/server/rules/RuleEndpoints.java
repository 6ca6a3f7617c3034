package dev.weir.server.rules;

import dev.weir.http.endpoints.IfMatch;
import dev.weir.http.endpoints.RegistryResource;
import dev.weir.http.endpoints.RequiresRole;
import dev.weir.http.endpoints.Responses;
import dev.weir.http.fields.Fields;
import dev.weir.http.fields.JsonDocument;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import dev.weir.limits.LimitStore;
import dev.weir.limits.internal.Settlements;
import dev.weir.rules.Rule;
import dev.weir.rules.RuleEvaluator;
import dev.weir.rules.RuleIndex;
import dev.weir.rules.Rules;
import dev.weir.rules.matching.Request;
import dev.weir.rules.spec.Quota;
import dev.weir.rules.spec.RuleSpec;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
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

/** Manages rules: create, change, remove and list them, and make every node reload them. */
@Controller("/api/admin/rules")
@RequiresRole(RequiresRole.Role.ADMIN)
@ExecuteOn(TaskExecutors.VIRTUAL)
final class RuleEndpoints {
  private static final RegistryResource.Words WORDS =
      new RegistryResource.Words(
          "rule",
          "name",
          new RegistryResource.Kind(404, "unknown-rule"),
          new RegistryResource.Kind(412, "rule-changed"),
          new RegistryResource.Kind(409, "name-taken"),
          new RegistryResource.Kind(409, "too-many-rules"));

  /**
   * The path of a rule. It excludes the names of endpoints, which would otherwise seem to support
   * the methods of a rule.
   */
  private static final String ID = "/{id:(?!active$|explain$|refresh$|validate$)[^/]+}";

  private final Rules kept;
  private final RuleIndex index;
  private final RuleEvaluator evaluator;
  private final RuleBroadcast broadcast;
  private final LimitStore limits;
  private final Settlements settlements;
  private final RegistryResource<RuleSpec, Rule> rules;

  RuleEndpoints(
      Rules kept,
      RuleIndex index,
      RuleEvaluator evaluator,
      RuleBroadcast broadcast,
      LimitStore limits,
      Settlements settlements) {
    this.kept = kept;
    this.index = index;
    this.evaluator = evaluator;
    this.broadcast = broadcast;
    this.limits = limits;
    this.settlements = settlements;
    this.rules =
        new RegistryResource<>(
            WORDS,
            kept,
            index::refresh,
            document -> RuleJson.read(document, limits),
            RuleJson::writeMembers);
  }

  @Get
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> all() {
    return rules.list(kept.all());
  }

  @Get("/active")
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> active() {
    return rules.list(kept.all().stream().filter(rule -> rule.spec().isActive()).toList());
  }

  @Get(ID)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> find(HttpRequest<?> request) {
    return rules.find(request);
  }

  @Post
  @Consumes(MediaType.APPLICATION_JSON)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> create(HttpRequest<?> request, @Body byte[] body) {
    return rules.create(request, body);
  }

  @Put(ID)
  @Consumes(MediaType.APPLICATION_JSON)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> change(HttpRequest<?> request, @Body byte[] body) {
    HttpResponse<byte[]> changed = rules.change(request, body);
    settlements.settleNow();
    return changed;
  }

  /** Changes only the queue of a rule. */
  @Patch(ID + "/queue")
  @Consumes(MediaType.APPLICATION_JSON)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> changeQueue(HttpRequest<?> request, @Body byte[] body) {
    Object document = JsonDocument.read(body, 0, body.length);
    IfMatch accepted = IfMatch.of(request);
    if (accepted.isAny()) {
      return rules.changeCurrent(request, rule -> withQueue(rule, document));
    }
    Rule rule = rules.known(request);
    return rules.change(
        request, accepted.version(() -> RegistryResource.tag(rule)), withQueue(rule, document));
  }

  private static RuleSpec withQueue(Rule rule, Object document) {
    if (!(rule.spec().quota() instanceof Quota.Rate)) {
      throw new ProblemException(
          Problem.of(409, "no-queue", "A rule of concurrency has no queue."));
    }
    return RuleJson.readQueue(document, rule.spec());
  }

  /** Returns the change history of a rule. */
  @Get(ID + "/versions")
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> versions(HttpRequest<?> request) {
    return rules.versions(request);
  }

  /** Returns the rules that would cover a request, and how they would decide. Takes nothing. */
  @Post("/explain")
  @Consumes(MediaType.APPLICATION_JSON)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> explain(@Body byte[] body) {
    Request described = ExplainJson.read(Fields.of(JsonDocument.read(body, 0, body.length)));
    RuleEvaluator.Explanation explanation = evaluator.explain(described);
    return Responses.json(json -> ExplainJson.write(json, described, explanation));
  }

  /** Reports what is wrong with the content of a rule. Stores nothing. */
  @Post("/validate")
  @Consumes(MediaType.APPLICATION_JSON)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> validate(@Body byte[] body) {
    RuleJson.read(JsonDocument.read(body, 0, body.length), limits);
    return HttpResponse.noContent();
  }

  @Delete(ID)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> remove(HttpRequest<?> request) {
    return rules.remove(request);
  }

  @Post("/refresh")
  @Consumes(MediaType.ALL)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> refresh() {
    broadcast.refreshEverywhere();
    index.refresh();
    return HttpResponse.noContent();
  }
}
