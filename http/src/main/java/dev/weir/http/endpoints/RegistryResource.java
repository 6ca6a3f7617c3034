package dev.weir.http.endpoints;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.StoreException;
import dev.weir.Violation;
import dev.weir.http.fields.JsonDocument;
import dev.weir.http.fields.PathSegment;
import dev.weir.http.json.Json;
import dev.weir.http.json.Snippet;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import dev.weir.register.Change;
import dev.weir.register.Entry;
import dev.weir.register.EntryVersion;
import dev.weir.register.Register;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MutableHttpResponse;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Exposes the entries of a register over HTTP: find, create, change and remove. */
public final class RegistryResource<T, E extends Entry<T>> {
  /** The index of the id in a path such as {@code /api/admin/rules/7}. */
  private static final int ID_SEGMENT = 4;

  private static final String ID = "id";

  /** Max attempts at a change of an entry that others change: each time, one of them has. */
  private static final int MAX_ATTEMPTS = 50;

  /** What the register decides about an entry. */
  private static final Set<String> DECIDED = Set.of(ID, "version", "createdAt", "updatedAt");

  private static final Logger log = LoggerFactory.getLogger(RegistryResource.class);

  private final Words words;
  private final Register<T, E> register;
  private final Runnable refresh;
  private final Function<Object, T> reader;
  private final Members<E> members;

  /**
   * The names of the entries and of their problems.
   *
   * @param one the name of an entry, such as {@code rule}
   * @param title the name of its unique attribute, such as {@code name}
   */
  public record Words(
      String one, String title, Kind unknown, Kind stale, Kind titleTaken, Kind tooMany) {
    String path() {
      return "/api/admin/%ss/".formatted(one);
    }
  }

  /** The status and the code of a problem. */
  public record Kind(int status, String code) {
    ProblemException problem(String detail) {
      return new ProblemException(Problem.of(status, code, detail));
    }
  }

  /** Writes the members of an entry into an open object. */
  public interface Members<E> {
    void write(JsonGenerator json, E entry) throws IOException;
  }

  /**
   * Creates a resource.
   *
   * @param refresh makes this node read all entries again: the store notifies other nodes, and the
   *     next request to this node must not see the old entry
   */
  public RegistryResource(
      Words words,
      Register<T, E> register,
      Runnable refresh,
      Function<Object, T> reader,
      Members<E> members) {
    this.words = words;
    this.register = register;
    this.refresh = refresh;
    this.reader = reader;
    this.members = members;
  }

  public HttpResponse<byte[]> list(List<E> entries) {
    return Responses.json(
        json -> {
          json.writeStartArray();
          for (E entry : entries) {
            write(json, entry);
          }
          json.writeEndArray();
        });
  }

  public HttpResponse<byte[]> find(HttpRequest<?> request) {
    return answer(HttpStatus.OK, known(request));
  }

  /** Returns the entry that the path names. */
  public E known(HttpRequest<?> request) {
    return register.find(id(request)).orElseThrow(() -> unknown(request));
  }

  public HttpResponse<byte[]> create(HttpRequest<?> request, byte[] body) {
    T spec = reader.apply(JsonDocument.read(body, 0, body.length));
    E entry = done(request, spec, register.create(spec, Caller.of(request))).entry();
    return answer(HttpStatus.CREATED, entry)
        .header(HttpHeaders.LOCATION, words.path() + entry.id());
  }

  /**
   * Changes the entry that the path names. The body may be an entry as it was read: what the
   * register decides is left out of it, and {@code If-Match} names the version.
   */
  public HttpResponse<byte[]> change(HttpRequest<?> request, byte[] body) {
    T spec = reader.apply(withoutDecided(request, JsonDocument.read(body, 0, body.length)));
    int version = IfMatch.of(request).version(() -> tag(known(request)));
    return change(request, version, spec);
  }

  private Object withoutDecided(HttpRequest<?> request, Object document) {
    if (!(document instanceof Map<?, ?> read)) {
      return document;
    }
    // An entry that is sent to the path of another one is a mistake.
    if (read.containsKey(ID) && !isId(id(request), read.get(ID))) {
      throw new ProblemException(
          Problem.invalid(List.of(new Violation(ID, "must be the id in the path"))));
    }
    Map<Object, Object> members = new LinkedHashMap<>(read);
    members.keySet().removeAll(DECIDED);
    return members;
  }

  private static boolean isId(long id, @Nullable Object given) {
    return given instanceof BigDecimal number && number.compareTo(BigDecimal.valueOf(id)) == 0;
  }

  /**
   * Changes the entry that the path names.
   *
   * @param version the version that the change is based on
   */
  public HttpResponse<byte[]> change(HttpRequest<?> request, int version, T spec) {
    Change<E> change = register.change(id(request), version, spec, Caller.of(request));
    return answer(HttpStatus.OK, done(request, spec, change).entry());
  }

  /**
   * Changes the entry that the path names as it is now. If something else has changed it in the
   * meantime, the change is made to that version.
   *
   * @param changed returns the new content
   */
  public HttpResponse<byte[]> changeCurrent(HttpRequest<?> request, Function<E, T> changed) {
    for (int attempt = 1; attempt < MAX_ATTEMPTS; attempt++) {
      E entry = known(request);
      T spec = changed.apply(entry);
      Change<E> change = register.change(entry.id(), entry.version(), spec, Caller.of(request));
      if (!(change instanceof Change.Stale<E>)) {
        return answer(HttpStatus.OK, done(request, spec, change).entry());
      }
    }
    E entry = known(request);
    return change(request, entry.version(), changed.apply(entry));
  }

  public HttpResponse<byte[]> remove(HttpRequest<?> request) {
    E entry = known(request);
    int version = IfMatch.of(request).version(() -> tag(entry));
    Change<E> change = register.remove(entry.id(), version, Caller.of(request));
    done(request, entry.spec(), change);
    return HttpResponse.noContent();
  }

  /** Returns the change history of an entry. */
  public HttpResponse<byte[]> versions(HttpRequest<?> request) {
    List<EntryVersion<E>> versions = register.versions(id(request));
    if (versions.isEmpty()) {
      throw unknown(request);
    }
    return Responses.json(
        json -> {
          json.writeStartArray();
          for (EntryVersion<E> version : versions) {
            json.writeStartObject();
            members.write(json, version.entry());
            json.writeStringField("changedBy", version.changedBy());
            json.writeBooleanField("removed", version.isRemoval());
            json.writeEndObject();
          }
          json.writeEndArray();
        });
  }

  private Change.Done<E> done(HttpRequest<?> request, T spec, Change<E> change) {
    return switch (change) {
      case Change.Done<E> done -> {
        StoreException.afterDone(
            () -> {
              refresh.run();
              return done;
            });
        boolean isRemoval = done.before().equals(Optional.of(done.entry()));
        log.info(
            "Changed {}: {} → {}",
            words.one(),
            done.before().map(this::text).orElse("none"),
            isRemoval ? "none" : text(done.entry()));
        yield done;
      }
      case Change.Unknown<E> unknown -> throw unknown(request);
      case Change.Stale<E> stale ->
          throw words
              .stale()
              .problem(
                  "The %s has been changed: its version is now %d."
                      .formatted(words.one(), stale.current().version()));
      case Change.Taken<E> taken ->
          throw words
              .titleTaken()
              .problem(
                  "There is a %s with the %s %s already."
                      .formatted(words.one(), words.title(), Snippet.of(register.title(spec))));
      case Change.TooMany<E> many ->
          throw words
              .tooMany()
              .problem("There are %d %ss already.".formatted(register.maxEntries(), words.one()));
    };
  }

  private MutableHttpResponse<byte[]> answer(HttpStatus status, E entry) {
    return Responses.json(status, json -> write(json, entry))
        .header(HttpHeaders.ETAG, tag(entry).header());
  }

  /** Returns what identifies a version of an entry. */
  public static EntityTag tag(Entry<?> entry) {
    return new EntityTag(entry.version(), entry.updatedAt());
  }

  private void write(JsonGenerator json, E entry) throws IOException {
    json.writeStartObject();
    members.write(json, entry);
    json.writeEndObject();
  }

  private String text(E entry) {
    return new String(Json.bytes(json -> write(json, entry)), StandardCharsets.UTF_8);
  }

  /** Returns the id in the path. Text that is not a number is not the id of any entry. */
  private long id(HttpRequest<?> request) {
    try {
      return Long.parseLong(PathSegment.of(request, ID_SEGMENT));
    } catch (NumberFormatException e) {
      throw unknown(request);
    }
  }

  private ProblemException unknown(HttpRequest<?> request) {
    return words
        .unknown()
        .problem(
            "There is no %s with the id %s."
                .formatted(words.one(), Snippet.of(PathSegment.of(request, ID_SEGMENT))));
  }
}
