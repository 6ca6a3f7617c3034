package dev.weir.server.cli;

import java.io.EOFException;
import java.io.IOException;
import java.io.Writer;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One import: a thread sends the feed while the caller's thread reads the results, matches each to
 * its line, counts it, and writes it to its file.
 */
final class ImportRun {
  /** With the sender's pauses between them, this is about half a minute. */
  private static final int MAX_ATTEMPTS = 6;

  private final WeirClient client;
  private final ImportTally tally;
  private final RejectFile rejects;
  private final Writer answersCopy;

  /**
   * Creates an import.
   *
   * @param answersCopy receives every result, one per line
   */
  ImportRun(WeirClient client, ImportTally tally, RejectFile rejects, Writer answersCopy) {
    this.client = client;
    this.tally = tally;
    this.rejects = rejects;
    this.answersCopy = answersCopy;
  }

  /**
   * Runs to the end of the feed.
   *
   * @throws IOException if the feed cannot be read or a result cannot be written
   */
  void run(Feed feed, FeedSender.Pause pause)
      throws IOException, ProblemException, UnreachableException, InterruptedException {
    try (BatchExchange exchange = client.batch()) {
      Conveyor conveyor = new Conveyor();
      FeedSender sender = new FeedSender(feed, exchange, conveyor, pause);
      Thread thread = Thread.ofVirtual().name("feed-sender").start(sender);
      try {
        receive(new Answers(exchange), conveyor, sender);
      } finally {
        // The thread may be waiting for the feed or for us, and nothing more will be sent.
        thread.interrupt();
      }
    }
  }

  private void receive(Answers answers, Conveyor conveyor, FeedSender sender)
      throws IOException, ProblemException, UnreachableException, InterruptedException {
    for (Conveyor.Block block = conveyor.take(); block != null; block = conveyor.take()) {
      List<FeedLine.Entry> again = new ArrayList<>();
      for (FeedLine line : block.lines()) {
        switch (line) {
          case FeedLine.Flawed flawed -> reject(flawed, Problem.unreadableLine(flawed.flaw()));
          case FeedLine.Entry entry -> {
            if (!settled(entry, answers.next())) {
              again.add(entry.again());
            }
          }
        }
      }
      rejects.flush();
      tally.feedBytes(block.feedBytes());
      conveyor.answered(again);
    }
    IOException sendFailure = sender.sendFailure();
    if (sendFailure != null) {
      throw answers.lost(sendFailure);
    }
    answers.expectEnd();
    IOException feedFailure = sender.feedFailure();
    if (feedFailure != null) {
      throw feedFailure;
    }
  }

  /** Handles a result; returns false if the line should be sent again. */
  private boolean settled(FeedLine.Entry entry, Answers.Line line) throws IOException {
    if (entry.attempt() > 0) {
      tally.waiting(-1);
    }
    switch (line.answer()) {
      case Answer.Assigned assigned -> tally.assigned(assigned);
      case Answer.Refused refused -> {
        if (refused.problem().isPassing() && entry.attempt() + 1 < MAX_ATTEMPTS) {
          tally.waiting(1);
          return false;
        }
        reject(entry, line.text());
        return true;
      }
    }
    copy(line.text());
    return true;
  }

  private void reject(FeedLine.Flawed line, Problem problem) throws IOException {
    reject(line, new String(problem.toJson(), StandardCharsets.UTF_8));
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

  /** The lines of the response. Their failures are distinguished from those of our own files. */
  private final class Answers {
    private final BatchExchange exchange;
    private @Nullable RecordReader lines;

    /** A result and its original text. */
    record Line(String text, Answer answer) {}

    Answers(BatchExchange exchange) {
      this.exchange = exchange;
    }

    Line next() throws ProblemException, UnreachableException {
      RecordReader.Cut cut = read();
      if (cut == null) {
        throw lost(new EOFException("it ended the answer too early"));
      }
      try {
        return new Line(cut.text(), Answer.read(cut.text()));
      } catch (IOException other) {
        throw UnreachableException.notWeir(server(), other);
      }
    }

    void expectEnd() throws ProblemException, UnreachableException {
      if (read() != null) {
        throw UnreachableException.notWeir(
            server(), new IOException("more answers than lines were sent"));
      }
    }

    UnreachableException lost(IOException cause) {
      return new UnreachableException(
          "lost " + server() + ": " + UnreachableException.reason(cause), cause);
    }

    /** Reads a line. The head of the response is awaited only after something has been sent. */
    private RecordReader.@Nullable Cut read() throws ProblemException, UnreachableException {
      try {
        if (lines == null) {
          lines = new RecordReader(exchange.answers(), false);
        }
        return lines.nextNonBlank();
      } catch (IOException broken) {
        throw lost(broken);
      }
    }

    private URI server() {
      return client.server();
    }
  }
}
