package dev.weir.server.cli;

import dev.weir.client.JsonObject;
import dev.weir.client.Problem;
import dev.weir.client.WeirException;
import java.io.IOException;
import java.io.Writer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * One import: blocks of lines are sent in order, one at a time. Meanwhile the caller's thread
 * matches the answers of the block before to their lines, counts them, and writes them to their
 * files. Lines that failed because the server's database was unavailable are sent again after a
 * pause, so that an outage makes an import wait rather than fail line by line.
 */
final class ImportRun {
  /** With the pauses between them, this is about half a minute. */
  private static final int MAX_ATTEMPTS = 6;

  private static final Duration MAX_PAUSE = Duration.ofSeconds(16);

  private final EntryCalls calls;
  private final ImportTally tally;
  private final RejectFile rejects;
  private final Writer answersCopy;
  private final Pause pause;

  /** Waits before a new attempt. */
  @FunctionalInterface
  interface Pause {
    void pause(Duration duration) throws InterruptedException;
  }

  private record Answered(FeedBlocks.Block block, List<JsonObject.Element> answers) {}

  /**
   * Creates an import.
   *
   * @param answersCopy receives every result, one per line
   */
  ImportRun(
      EntryCalls calls, ImportTally tally, RejectFile rejects, Writer answersCopy, Pause pause) {
    this.calls = calls;
    this.tally = tally;
    this.rejects = rejects;
    this.answersCopy = answersCopy;
    this.pause = pause;
  }

  /**
   * Runs to the end of the feed.
   *
   * @throws IOException if the feed cannot be read or a result cannot be written
   */
  void run(Feed feed) throws IOException, InterruptedException {
    Optional<IOException> failure = Optional.empty();
    try (FeedBlocks blocks = new FeedBlocks(feed);
        ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor()) {
      Optional<Answered> before = Optional.empty();
      boolean isOver = false;
      while (!isOver) {
        Optional<FeedBlocks.Part> part = blocks.poll();
        if (part.isEmpty() && before.isPresent()) {
          // A slow feed; what is known is shown before waiting for it.
          settle(before.get());
          before = Optional.empty();
        }
        switch (part.isPresent() ? part.get() : blocks.take()) {
          case FeedBlocks.Block block -> before = Optional.of(send(block, before, thread));
          case FeedBlocks.End end -> {
            failure = end.failure();
            isOver = true;
          }
        }
      }
      if (before.isPresent()) {
        settle(before.get());
      }
    }
    if (failure.isPresent()) {
      throw failure.get();
    }
  }

  /** Sends a block and handles the answers of the block before. */
  private Answered send(FeedBlocks.Block block, Optional<Answered> before, ExecutorService thread)
      throws IOException, InterruptedException {
    Future<List<JsonObject.Element>> call =
        thread.submit(
            () -> block.isArray() ? calls.send(block.entries()) : sendMixed(block.entries()));
    try {
      if (before.isPresent()) {
        settle(before.get());
      }
      return new Answered(block, call.get());
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof WeirException known) {
        throw known;
      }
      throw new IllegalStateException(failed.getCause());
    } finally {
      call.cancel(true);
    }
  }

  /** Sends lines of which some are no element of an array; the server says what is wrong. */
  private List<JsonObject.Element> sendMixed(List<FeedLine.Entry> entries) {
    List<JsonObject.Element> answers = new ArrayList<>();
    List<FeedLine.Entry> together = new ArrayList<>();
    for (FeedLine.Entry entry : entries) {
      if (FeedJson.isOneObject(entry.request())) {
        together.add(entry);
      } else {
        answers.addAll(calls.send(together));
        together.clear();
        answers.add(calls.sendLine(entry));
      }
    }
    answers.addAll(calls.send(together));
    return answers;
  }

  /** Handles the answers of a block, and sends lines again until each has its result. */
  private void settle(Answered answered) throws IOException, InterruptedException {
    List<FeedLine.Entry> again = new ArrayList<>();
    Iterator<JsonObject.Element> answers = answered.answers().iterator();
    for (FeedLine line : answered.block().lines()) {
      switch (line) {
        case FeedLine.Flawed flawed -> reject(flawed, FeedJson.unreadableLine(flawed.flaw()));
        case FeedLine.Entry entry -> settle(entry, answers.next(), again);
      }
    }
    rejects.flush();
    tally.feedBytes(answered.block().feedBytes());
    while (!again.isEmpty()) {
      pause.pause(pauseBefore(again.getFirst().attempt()));
      List<FeedLine.Entry> sent = again;
      again = new ArrayList<>();
      Iterator<JsonObject.Element> newer = calls.send(sent).iterator();
      for (FeedLine.Entry entry : sent) {
        tally.waiting(-1);
        settle(entry, newer.next(), again);
      }
      rejects.flush();
    }
  }

  private static Duration pauseBefore(int attempt) {
    Duration wanted = Duration.ofSeconds(1L << Math.min(attempt - 1, 10));
    return wanted.compareTo(MAX_PAUSE) < 0 ? wanted : MAX_PAUSE;
  }

  /** Handles an answer; adds the line to those that are sent again if it should be. */
  private void settle(FeedLine.Entry entry, JsonObject.Element answer, List<FeedLine.Entry> again)
      throws IOException {
    Optional<Instant> scheduledTime = answer.object().time("scheduledTime");
    if (scheduledTime.isPresent()) {
      tally.assigned(scheduledTime.get(), answer.object().flag("replayed"));
      copy(answer.text());
      return;
    }
    Problem problem = Problem.of(answer.object());
    if (problem.is("store-unavailable") && entry.attempt() + 1 < MAX_ATTEMPTS) {
      tally.waiting(1);
      again.add(entry.again());
      return;
    }
    reject(entry, answer.text());
  }

  private void reject(FeedLine line, String problemJson) throws IOException {
    rejects.add(line, problemJson);
    tally.rejected();
    copy(problemJson);
  }

  private void copy(String answer) throws IOException {
    answersCopy.write(answer);
    answersCopy.write('\n');
  }
}
