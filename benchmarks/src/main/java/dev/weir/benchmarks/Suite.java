package dev.weir.benchmarks;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** A group of benchmarks that is run and reported together. */
public interface Suite {
  /** Returns the name that selects the suite on the command line. */
  String name();

  /** Runs the suite to its end. */
  Outcome run(Request request) throws Exception;

  /**
   * How to run a suite.
   *
   * @param quick whether it must finish within 90 seconds
   * @param databaseUrl the PostgreSQL to use instead of an embedded one
   * @param only a word in the names of the cases to run; all cases if empty
   * @param programs the programs of other services to measure, by the name of their option
   * @param progress receives a line at each step
   */
  record Request(
      boolean quick,
      Optional<String> databaseUrl,
      Optional<String> only,
      Map<String, Path> programs,
      Consumer<String> progress) {
    /** Returns true if the case with this name should run. */
    public boolean isWanted(String caseName) {
      return only.isEmpty() || caseName.contains(only.get());
    }
  }

  /**
   * The results of a suite.
   *
   * @param facts what a reader must know about the services it used, in the order to print
   * @param rows the measurements
   */
  record Outcome(Map<String, String> facts, List<Row> rows) {}
}
