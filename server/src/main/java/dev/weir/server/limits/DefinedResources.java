package dev.weir.server.limits;

import dev.weir.StoreException;
import dev.weir.http.fields.Fields;
import dev.weir.http.json.Snippet;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import dev.weir.limits.internal.Definition;
import dev.weir.limits.internal.Definitions;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The limits of one kind that are defined by resource; requests name the resource in their path.
 */
final class DefinedResources<L> {
  private static final Map<String, String> RETRY_SOON = Map.of("Retry-After", "1");

  private final Definitions<L> definitions;

  DefinedResources(Definitions<L> definitions) {
    this.definitions = definitions;
  }

  /** Defines the limit of the resource. */
  HttpResponse<byte[]> define(
      String resource, L limit, Function<Definition<L>, HttpResponse<byte[]>> state) {
    Definition<L> defined = definitions.define(resource, limit);
    try {
      return state.apply(defined);
    } catch (StoreException e) {
      // Another store: the definition is in force, and only what is left of it cannot be read.
      throw new ProblemException(
          Problem.of(
                  503,
                  "store-unavailable",
                  "\"%s\" is defined. What is left of it cannot be read now: %s."
                      .formatted(Snippet.of(resource), e.getMessage()))
              .with(json -> json.writeStringField("outcome", "done")),
          RETRY_SOON);
    }
  }

  boolean isDefined(String resource) {
    return definitions.find(resource).isPresent();
  }

  /** Returns the definition that is in force on all nodes; empty if the resource was removed. */
  Optional<Definition<L>> findLatest(String resource) {
    return definitions.findLatest(resource);
  }

  /** Returns the definition of the resource that a request names. */
  Definition<L> find(HttpRequest<?> request) {
    String resource = ResourceId.of(request);
    return definitions.find(resource).orElseThrow(() -> ResourceId.unknown(resource));
  }

  /**
   * Removes the definition of the resource that a request names.
   *
   * @param forget removes the usage of the resource
   */
  HttpResponse<byte[]> remove(HttpRequest<?> request, Consumer<Definition<L>> forget) {
    Definition<L> defined = find(request);
    if (!definitions.remove(defined.resource())) {
      throw ResourceId.unknown(defined.resource());
    }
    try {
      forget.accept(defined);
    } catch (StoreException e) {
      throw new ProblemException(
          Problem.storeUnavailable(
              StoreException.Outcome.UNKNOWN,
              "\"%s\" is removed. Whether what was used is forgotten is unknown: %s."
                  .formatted(Snippet.of(defined.resource()), e.getMessage())),
          RETRY_SOON);
    }
    return HttpResponse.noContent();
  }

  /** Throws the violations with a machine-readable code if this field has one. */
  static void throwIfWrong(Fields fields, String field, String code) {
    if (fields.isWrong(field)) {
      fields.throwIfWrong(json -> json.writeStringField("code", code));
    }
  }
}
