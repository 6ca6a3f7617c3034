package dev.weir.server.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends a feed block by block, and sends lines again that failed because the server's database was
 * unavailable. While there are such lines it takes nothing new, so that an outage makes an import
 * wait rather than fail line by line.
 */
final class FeedSender implements Runnable {
  private static final int BLOCK_BYTES = 64 * 1024;
  private static final Duration MAX_PAUSE = Duration.ofSeconds(16);

  private final Feed feed;
  private final BatchExchange exchange;
  private final Conveyor conveyor;
  private final Pause pause;
  private volatile @Nullable IOException feedFailure;
  private volatile @Nullable IOException sendFailure;

  /** Waits before a new attempt. */
  @FunctionalInterface
  interface Pause {
    void pause(Duration duration) throws InterruptedException;
  }

  FeedSender(Feed feed, BatchExchange exchange, Conveyor conveyor, Pause pause) {
    this.feed = feed;
    this.exchange = exchange;
    this.conveyor = conveyor;
    this.pause = pause;
  }

  /** Returns why the feed could not be read to its end, if so. Set before the conveyor ends. */
  @Nullable IOException feedFailure() {
    return feedFailure;
  }

  /** Returns why not all could be sent, if so. Set before the conveyor ends. */
  @Nullable IOException sendFailure() {
    return sendFailure;
  }

  @Override
  public void run() {
    try {
      boolean more = true;
      while (more || conveyor.awaitAgain()) {
        int attempt = conveyor.againAttempt();
        if (attempt > 0) {
          sendAgain(attempt);
        } else {
          more = sendNext();
        }
      }
      exchange.finish();
    } catch (IOException failed) {
      sendFailure = failed;
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    } finally {
      conveyor.end();
    }
  }

  /** Sends lines again after a pause that grows with the number of attempts. */
  private void sendAgain(int attempt) throws IOException, InterruptedException {
    Duration wanted = Duration.ofSeconds(1L << Math.min(attempt - 1, 10));
    pause.pause(wanted.compareTo(MAX_PAUSE) < 0 ? wanted : MAX_PAUSE);
    Parcel parcel = new Parcel();
    for (FeedLine.Entry entry : conveyor.takeAgain()) {
      parcel.add(entry);
      if (parcel.isFull()) {
        parcel.send();
        parcel = new Parcel();
      }
    }
    parcel.send();
  }

  /** Sends the next block of the feed; returns false after the last. */
  private boolean sendNext() throws IOException, InterruptedException {
    Parcel parcel = new Parcel();
    boolean more = true;
    try {
      do {
        FeedLine line = feed.next();
        more = line != null;
        if (line != null) {
          parcel.add(line);
        }
        // Available lines are sent before waiting for more, because the feed may be a slow pipe.
      } while (more && !parcel.isFull() && !feed.mayBlock());
    } catch (IOException failed) {
      feedFailure = failed;
      more = false;
    }
    parcel.send();
    return more;
  }

  /** Lines collected to be sent together. */
  private final class Parcel {
    private final List<FeedLine> lines = new ArrayList<>();
    private final ByteArrayOutputStream request = new ByteArrayOutputStream(BLOCK_BYTES + 1024);
    private int textLength;

    void add(FeedLine line) {
      lines.add(line);
      textLength += line.text().length();
      if (line instanceof FeedLine.Entry entry) {
        request.writeBytes(entry.request().getBytes(StandardCharsets.UTF_8));
        request.write('\n');
      }
    }

    boolean isFull() {
      return request.size() >= BLOCK_BYTES || textLength >= BLOCK_BYTES;
    }

    void send() throws IOException, InterruptedException {
      if (!lines.isEmpty()) {
        conveyor.put(new Conveyor.Block(lines, feed.consumedBytes()));
        exchange.send(request.toByteArray());
      }
    }
  }
}
