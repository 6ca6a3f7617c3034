package dev.weir.benchmarks;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** A family of benchmarks that is run and reported together. */
public interface Suite {
  /** The word that chooses it on the command line. */
  String name();

  /** Runs it to the end. */
  Outcome run(Request request) throws Exception;

  /**
   * How to run a suite.
   *
   * @param quick whether it has to be over within 90 seconds
   * @param databaseUrl the PostgreSQL to use, in place of an embedded one
   * @param only the word of the cases to run, in place of all of them
   * @param programs the programs of other services to measure, by the name of their option
   * @param progress hears a line at each step
   */
  record Request(
      boolean quick,
      Optional<String> databaseUrl,
      Optional<String> only,
      Map<String, Path> programs,
      Consumer<String> progress) {
    /** Whether a case of this name is to be run. */
    public boolean isWanted(String caseName) {
      return only.isEmpty() || caseName.contains(only.get());
    }
  }

  /**
   * What a suite found.
   *
   * @param facts what a reader must know about the services it used, in the order to print
   * @param rows what was measured
   */
  record Outcome(Map<String, String> facts, List<Row> rows) {}
}
