package dev.weir.server.slots;

import dev.weir.http.problems.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/**
 * Turns a stream of requests into a stream of responses, one line for each line.
 *
 * <p>One thread reads; another, which sends the responses, calls {@link #next}. Only a few portions
 * are in flight between them: if the client stops reading responses, its requests are no longer
 * read. The scheduler combines portions in flight into larger batches. The reading thread submits
 * the portions in order, so that lines get their slots in the order of the stream.
 */
final class LineStream implements AutoCloseable {
  static final int MAX_LINE_BYTES = 16 * 1024;

  private static final int BUFFER_BYTES = 64 * 1024;

  private static final Problem LONG_LINE =
      Problem.of(400, "line-too-long", "A line must be at most " + MAX_LINE_BYTES + " bytes.");

  /**
   * Max lines of a portion. A line of two bytes has an answer of hundreds, so the bytes of a
   * portion do not bound the memory of its answers.
   */
  private static final int MAX_LINES = 256;

  static final int MAX_UNDER_WAY = 8;

  private final InputStream in;
  private final Supplier<? extends LinePortion> newPortion;
  private final ExecutorService virtualThreads;

  /** Portions in flight, and then the end, for which there is always room. */
  private final BlockingQueue<Future<byte[]>> underWay =
      new ArrayBlockingQueue<>(MAX_UNDER_WAY + 1);

  private final Semaphore room = new Semaphore(MAX_UNDER_WAY);
  private final Future<?> reader;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int start;
  private int scanned;
  private int end;
  private boolean ended;

  /** The number of the line that begins at {@code start}. */
  private long line = 1;

  /** True inside a line that is too long, until its end. */
  private boolean skipping;

  LineStream(
      InputStream in, Supplier<? extends LinePortion> newPortion, ExecutorService virtualThreads) {
    this.in = in;
    this.newPortion = newPortion;
    this.virtualThreads = virtualThreads;
    this.reader = virtualThreads.submit(this::readAll);
  }

  /**
   * Returns the responses to the next lines; empty after the last line. Blocks until there are any.
   */
  Optional<byte[]> next() throws IOException, InterruptedException {
    try {
      Future<byte[]> first = underWay.take();
      room.release();
      byte[] answers = first.get();
      return answers.length == 0 ? Optional.empty() : Optional.of(answers);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException clientGone) {
        throw clientGone;
      }
      throw new IllegalStateException("A portion of a stream failed", e.getCause());
    }
  }

  private Void readAll() throws InterruptedException {
    try {
      while (!ended) {
        LinePortion portion = readPortion();
        if (portion.size() > 0) {
          Supplier<byte[]> answers = portion.submit();
          Future<byte[]> written = virtualThreads.submit(answers::get);
          room.acquire();
          underWay.add(written);
        }
      }
      // No portion has an empty response, so this marks the end.
      underWay.add(CompletableFuture.completedFuture(new byte[0]));
    } catch (IOException | RuntimeException e) {
      // Does not wait: the client may have left, and then nobody takes what is before it.
      underWay.add(CompletableFuture.failedFuture(e));
    }
    return null;
  }

  /** Takes the lines that are complete, up to a number of them; reads once if there are none. */
  private LinePortion readPortion() throws IOException {
    LinePortion portion = newPortion.get();
    if (scanned == end && !read()) {
      ended = true;
      takeLine(portion, end);
      return portion;
    }
    while (scanned < end && portion.size() < MAX_LINES) {
      if (buffer[scanned] == '\n') {
        takeLine(portion, scanned);
        start = scanned + 1;
        line++;
      }
      scanned++;
    }
    if (scanned - start > MAX_LINE_BYTES) {
      if (!skipping) {
        portion.refuse(LONG_LINE);
      }
      skipping = true;
      start = scanned;
    }
    return portion;
  }

  /** Reads behind what was not taken yet; returns false at the end. */
  private boolean read() throws IOException {
    System.arraycopy(buffer, start, buffer, 0, end - start);
    end -= start;
    start = 0;
    scanned = end;
    int read = in.read(buffer, end, buffer.length - end);
    end += Math.max(0, read);
    return read >= 0;
  }

  private void takeLine(LinePortion portion, int lineEnd) {
    int from = start;
    int length = lineEnd - from;
    if (skipping) {
      skipping = false;
    } else if (length > MAX_LINE_BYTES) {
      portion.refuse(LONG_LINE);
    } else if (!isBlank(from, lineEnd)) {
      portion.add(buffer, from, length, line);
    }
  }

  private boolean isBlank(int from, int until) {
    for (int i = from; i < until; i++) {
      if (buffer[i] != ' ' && buffer[i] != '\r' && buffer[i] != '\t') {
        return false;
      }
    }
    return true;
  }

  /** Stops reading. Portions in flight are completed and stored. */
  @Override
  public void close() throws IOException {
    reader.cancel(true);
    in.close();
  }
}
