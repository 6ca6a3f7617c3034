package dev.weir.store.surrealdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * A query and its parameters. The text is a constant; whatever a caller passes is in the
 * parameters, which SurrealDB receives as typed values and never parses.
 *
 * @param parameters strings, longs, booleans, record ids, lists and maps
 */
record Query(String text, Map<String, Object> parameters) {
  /** Creates the tables that are missing. */
  static final Query SCHEMA = new Query(resource("schema.surql"), Map.of());

  private static final String MARK =
      """
      RETURN {
        IF (SELECT VALUE since FROM ONLY weir_store:marker) = NONE {
          CREATE weir_store:marker SET since = $since ?? time::micros(time::now()) RETURN NONE;
        };
      };
      """;

  private static final String BLOCK = "RETURN { -- weir %s\n%s%s};\n";

  /**
   * The form of scripts that write in closures. SurrealDB opens a transaction that can write only
   * for statements that write outside of them: the second operand does, and is never evaluated.
   */
  private static final String WRITES = "RETURN { -- weir %s\n%s%s} ?? (DELETE []);\n";

  Query {
    parameters = Map.copyOf(parameters);
  }

  /**
   * Returns the call of a script with one object. It names the database for which the call is
   * meant, because SurrealDB 3.0 runs concurrent calls over HTTP in the session of any of them.
   */
  static Query call(Script script, SurrealDbSettings settings, Map<String, Object> parameters) {
    Map<String, Object> call = new LinkedHashMap<>(parameters);
    call.put("namespace", settings.namespace());
    call.put("database", settings.database());
    return new Query(script.text, Map.of("call", call));
  }

  /** Returns the query that creates the marker, with a loss at the present. */
  static Query markLoss() {
    return new Query(MARK, Map.of());
  }

  /** Returns the query that creates the marker of a database that has lost nothing since a time. */
  static Query markSince(long sinceMicros) {
    return new Query(MARK, Map.of("since", sinceMicros));
  }

  /** A script that takes one object. It is one statement, and so one transaction. */
  enum Script {
    PLAIN("plain", WRITES),
    LIMITS("limits", WRITES),
    USAGES("usages", BLOCK),
    RECALL("recall", BLOCK),
    FORGET("forget", BLOCK),
    BUCKETS("buckets", BLOCK),
    LEASES("leases", WRITES),
    LOCK("lock", BLOCK),
    SWEEP("sweep", BLOCK);

    final String text;

    Script(String name, String form) {
      this.text = form.formatted(name, resource("guard.surql"), resource(name + ".surql"));
    }
  }

  /** Returns a file without its comments, which SurrealDB would have to read each time. */
  private static String resource(String name) {
    try (InputStream file = Query.class.getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(file, name).readAllBytes(), UTF_8)
          .lines()
          .filter(line -> !line.strip().startsWith("--"))
          .map(line -> line + "\n")
          .collect(Collectors.joining());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
