package dev.weir.node.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Shows progress while it is open: on a terminal one line that is updated in place, elsewhere a new
 * line every few seconds. It has its own thread, so that it also updates while the work stalls.
 */
public final class ProgressDisplay implements AutoCloseable {
  private static final Duration ON_TERMINAL = Duration.ofMillis(200);
  private static final Duration IN_LOG = Duration.ofSeconds(5);
  private static final String ERASE_LINE = "\r\u001b[K";

  private final PrintWriter out;
  private final boolean interactive;
  private final CountDownLatch over = new CountDownLatch(1);
  private final Thread thread;

  /**
   * Shows the text, which is evaluated anew at each update.
   *
   * @param interactive whether the output is a terminal
   */
  public ProgressDisplay(PrintWriter out, boolean interactive, Supplier<String> text) {
    this.out = out;
    this.interactive = interactive;
    this.thread = Thread.ofVirtual().name("progress").unstarted(() -> showUntilOver(text));
  }

  public void start() {
    thread.start();
  }

  @Override
  public synchronized void close() {
    over.countDown();
    if (interactive) {
      out.print(ERASE_LINE);
      out.flush();
    }
  }

  private void showUntilOver(Supplier<String> text) {
    long everyMillis = (interactive ? ON_TERMINAL : IN_LOG).toMillis();
    try {
      while (!over.await(everyMillis, TimeUnit.MILLISECONDS)) {
        show(text.get());
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  /** Prints the text, unless the display is closed. */
  private synchronized void show(String text) {
    if (over.getCount() == 0) {
      return;
    }
    if (interactive) {
      out.print(ERASE_LINE + text);
      out.flush();
    } else {
      out.println(text);
    }
  }
}
