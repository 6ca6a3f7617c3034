package dev.weir.server.faults;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/**
 * A process that is stopped by a signal, with all that it started, until this is closed. Its
 * connections stay open, new ones are accepted by the kernel, and nothing is answered.
 */
public final class Stopped implements AutoCloseable {
  private final List<ProcessHandle> processes;

  Stopped(long pid) throws IOException {
    ProcessHandle main = ProcessHandle.of(pid).orElseThrow();
    // First, so that it starts no other meanwhile.
    signal("STOP", main);
    this.processes = Stream.concat(Stream.of(main), main.descendants()).toList();
    for (ProcessHandle process : processes) {
      signal("STOP", process);
    }
  }

  private static void signal(String name, ProcessHandle process) throws IOException {
    Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
    Waiting.until("a signal", () -> !kill.isAlive());
  }

  @Override
  public void close() throws IOException {
    for (ProcessHandle process : processes) {
      signal("CONT", process);
    }
  }
}
