package dev.weir.server.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.SynchronousQueue;

/**
 * A feed in blocks of lines, read by a thread of its own while the block before is imported. It is
 * one block ahead, and hands over what there is before it waits for more, because the feed may be a
 * slow pipe.
 */
final class FeedBlocks implements AutoCloseable {
  /** The server takes an array of up to 10,000 requests. */
  private static final int MAX_LINES = 10_000;

  /** Of ASCII, half of what the server takes; a block that is too large is sent in two halves. */
  private static final int MAX_CHARACTERS = 512 * 1024;

  private final Feed feed;
  private final BlockingQueue<Part> ready = new SynchronousQueue<>();
  private final Thread reader;

  /** A part of a feed. */
  sealed interface Part {}

  /**
   * Lines that are sent together.
   *
   * @param isArray true if each of the lines for the server is one JSON object
   * @param feedBytes the position in the feed after these lines
   */
  record Block(List<FeedLine> lines, boolean isArray, long feedBytes) implements Part {
    Block {
      lines = List.copyOf(lines);
    }

    /** Returns the lines for the server. */
    List<FeedLine.Entry> entries() {
      return lines.stream()
          .filter(FeedLine.Entry.class::isInstance)
          .map(FeedLine.Entry.class::cast)
          .toList();
    }
  }

  /**
   * The end of the feed.
   *
   * @param failure why it could not be read any further, if so
   */
  record End(Optional<IOException> failure) implements Part {}

  private record Cut(Block block, Optional<End> end) {}

  FeedBlocks(Feed feed) {
    this.feed = feed;
    this.reader = Thread.ofVirtual().name("feed-reader").start(this::readAll);
  }

  /** Returns the next part, which is the end after the last block. */
  Part take() throws InterruptedException {
    return ready.take();
  }

  /** Returns the next part if it has been read. */
  Optional<Part> poll() {
    return Optional.ofNullable(ready.poll());
  }

  private void readAll() {
    try {
      Optional<End> end = Optional.empty();
      while (end.isEmpty()) {
        Cut cut = read();
        if (!cut.block().lines().isEmpty()) {
          ready.put(cut.block());
        }
        end = cut.end();
      }
      ready.put(end.get());
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
  }

  private Cut read() {
    List<FeedLine> lines = new ArrayList<>();
    int characters = 0;
    try {
      do {
        FeedLine line = feed.next();
        if (line == null) {
          return new Cut(block(lines), Optional.of(new End(Optional.empty())));
        }
        lines.add(line);
        characters += line.text().length();
      } while (lines.size() < MAX_LINES && characters < MAX_CHARACTERS && !feed.mayBlock());
    } catch (IOException failed) {
      return new Cut(block(lines), Optional.of(new End(Optional.of(failed))));
    }
    return new Cut(block(lines), Optional.empty());
  }

  private Block block(List<FeedLine> lines) {
    boolean isArray =
        lines.stream()
            .allMatch(
                line ->
                    switch (line) {
                      case FeedLine.Entry entry -> FeedJson.isOneObject(entry.request());
                      case FeedLine.Flawed flawed -> true;
                    });
    return new Block(lines, isArray, feed.consumedBytes());
  }

  /** Reads no further. */
  @Override
  public void close() {
    reader.interrupt();
  }
}
