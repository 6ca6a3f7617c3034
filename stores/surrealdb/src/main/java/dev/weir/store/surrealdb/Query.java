package dev.weir.store.surrealdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
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
  private static final String BLOCK = "RETURN { -- weir %s\n%s%s};\n";

  /** The file of the tables. */
  private static final String TABLES = "schema.surql";

  /** What every query starts with; those that prepare the database have no marker to check yet. */
  private static final String DATABASE = resource("database.surql");

  private static final String GUARD = DATABASE + resource("guard.surql");

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

  /** Returns the query that creates the tables, fields and indexes that are missing. */
  static Query schema(SurrealDbSettings settings) {
    return call(Script.SCHEMA, settings, Map.of("schema", Script.SCHEMA.digest()));
  }

  /** Returns the query that notes the first use of a database. */
  static Query firstUse(SurrealDbSettings settings) {
    return call(Script.FIRST_USE, settings, Map.of());
  }

  /** Returns the query that creates the marker: with a loss, unless the first use was noted. */
  static Query mark(SurrealDbSettings settings) {
    return call(Script.MARK, settings, Map.of("schema", Script.SCHEMA.digest()));
  }

  /** Returns the query of the digest of the tables in a database. */
  static Query applied(SurrealDbSettings settings) {
    return call(Script.APPLIED, settings, Map.of());
  }

  /** A script that takes one object. It is one statement, and so one transaction. */
  enum Script {
    PLAIN("plain", WRITES, GUARD),
    LIMITS("limits", WRITES, GUARD),
    USAGES("usages", BLOCK, GUARD),
    RECALL("recall", BLOCK, GUARD),
    FORGET("forget", BLOCK, GUARD),
    BUCKETS("buckets", BLOCK, GUARD),
    LEASES("leases", WRITES, GUARD),
    LOCK("lock", BLOCK, GUARD),
    SWEEP("sweep", BLOCK, GUARD),
    APPLIED("applied", BLOCK, GUARD),
    SCHEMA("schema", BLOCK, DATABASE + resource(TABLES), "note-schema"),
    FIRST_USE("first-use", BLOCK, DATABASE),
    MARK("mark", BLOCK, DATABASE),
    RACE_START("race-start", BLOCK, DATABASE),
    RACE_TAKE("race-take", BLOCK, DATABASE),
    RACE_END("race-end", BLOCK, DATABASE);

    final String text;

    Script(String name, String form, String start) {
      this(name, form, start, name);
    }

    Script(String name, String form, String start, String file) {
      this.text = form.formatted(name, start, resource(file + ".surql"));
    }

    /** Returns a text that differs if the script does. */
    String digest() {
      try {
        return HexFormat.of()
            .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)));
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Returns the definitions of the tables, with the comments that explain them. */
  static String tables() {
    return file(TABLES);
  }

  /** Returns a file without its comments, which SurrealDB would have to read each time. */
  private static String resource(String name) {
    return file(name)
        .lines()
        .filter(line -> !line.strip().startsWith("--"))
        .map(line -> line + "\n")
        .collect(Collectors.joining());
  }

  private static String file(String name) {
    try (InputStream file = Query.class.getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(file, name).readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
