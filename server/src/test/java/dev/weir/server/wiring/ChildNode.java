package dev.weir.server.wiring;

import dev.weir.server.faults.Program;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** A node in a process of its own, started as users start it. */
final class ChildNode implements AutoCloseable {
  private static final String GREETING = "Weir is up: ";

  private final Process process;
  private final URI address;
  private final List<String> output;
  private final Thread reader;

  private ChildNode(Process process, URI address, List<String> output, Thread reader) {
    this.process = process;
    this.address = address;
    this.output = output;
    this.reader = reader;
  }

  static ChildNode start(Map<String, String> environment, String... options) throws IOException {
    List<String> command = new ArrayList<>(Program.command(options));
    command.add("up");
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("WEIR_PORT", "0");
    builder.environment().put("WEIR_SLOTS_STORE", "memory");
    builder.environment().putAll(environment);
    Process process = builder.start();
    List<String> output = new CopyOnWriteArrayList<>();
    BufferedReader out = process.inputReader();
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      output.add(line);
      if (line.startsWith(GREETING)) {
        Thread reader = Thread.ofVirtual().start(() -> out.lines().forEach(output::add));
        return new ChildNode(
            process, URI.create(line.substring(GREETING.length())), output, reader);
      }
    }
    throw new IOException("did not start: " + output);
  }

  URI address() {
    return address;
  }

  /** SIGTERM; by its handle, because destroying a process closes its output too. */
  void terminate() {
    process.toHandle().destroy();
  }

  /** Waits for its end and returns its exit code. */
  int await() throws InterruptedException {
    if (!process.waitFor(5, TimeUnit.MINUTES)) {
      throw new IllegalStateException("still runs: " + output);
    }
    reader.join();
    return process.exitValue();
  }

  List<String> output() {
    return output;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
