package dev.weir.torture.history;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** All exchanges and faults of a round, in memory and as lines of a file. Thread-safe. */
public final class History implements AutoCloseable {
  private final AtomicLong numbers = new AtomicLong();
  private final List<Exchange> exchanges = new ArrayList<>();
  private final List<FaultNote> faults = new ArrayList<>();
  private final Path file;
  private final Writer writer;

  public History(Path file) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    this.file = file;
    this.writer = Files.newBufferedWriter(file);
  }

  /** The number of the next exchange. */
  public long next() {
    return numbers.incrementAndGet();
  }

  public synchronized void add(Exchange exchange) {
    exchanges.add(exchange);
    write(
        Json.write(
            "number", exchange.number(),
            "kind", exchange.kind(),
            "subject", exchange.subject(),
            "node", exchange.node(),
            "request", exchange.request(),
            "beganAt", exchange.beganAt(),
            "beginNanos", exchange.beginNanos(),
            "endNanos", exchange.endNanos(),
            "status", exchange.status(),
            "answer", exchange.answer()));
  }

  public synchronized void add(FaultNote fault) {
    faults.add(fault);
    write(
        Json.write(
            "fault", fault.name(),
            "beginNanos", fault.beginNanos(),
            "endNanos", fault.endNanos(),
            "loss", fault.loss().name()));
  }

  private void write(String line) {
    try {
      writer.write(line);
      writer.write('\n');
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the exchanges so far, in the order in which they ended. */
  public synchronized List<Exchange> exchanges() {
    return List.copyOf(exchanges);
  }

  public synchronized List<FaultNote> faults() {
    return List.copyOf(faults);
  }

  /** Returns true if a store may have lost what an exchange did. */
  public boolean mayBeForgotten(Exchange exchange) {
    return faults().stream().anyMatch(fault -> fault.mayForget(exchange));
  }

  public Path file() {
    return file;
  }

  @Override
  public synchronized void close() throws IOException {
    writer.close();
  }
}
