package dev.weir.benchmarks;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/** How the launcher starts a program of Java's: Weir and its peers are started alike. */
public final class JavaCommand {
  private JavaCommand() {}

  /**
   * A command with the options that this process has from the launcher.
   *
   * @param heap the JVM's option
   * @param program the class path, the class and what it is told
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
