package dev.weir.benchmarks;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/**
 * Builds the command line of a Java program, so that Weir and its peers start with equal options.
 */
public final class JavaCommand {
  private JavaCommand() {}

  /**
   * Returns a command with the JVM options of this process.
   *
   * @param heap the JVM option for the heap
   * @param program the class path, the class and its arguments
   */
  public static List<String> of(String heap, String... program) {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElse("java"));
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.add(heap);
    command.addAll(List.of(program));
    return command;
  }
}
