package dev.weir.server.faults;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;

/** What callers were told, a line each, for the verifier. Thread-safe. */
final class Journal implements AutoCloseable {
  private final Path file;
  private final Writer writer;

  Journal(Path file) throws IOException {
    this.file = file;
    this.writer = Files.newBufferedWriter(file);
  }

  synchronized void note(String answer) throws IOException {
    writer.write(answer);
    writer.write('\n');
  }

  /** The file, with all that was noted so far. */
  synchronized Path file() throws IOException {
    writer.flush();
    return file;
  }

  @Override
  public synchronized void close() throws IOException {
    writer.close();
  }
}
