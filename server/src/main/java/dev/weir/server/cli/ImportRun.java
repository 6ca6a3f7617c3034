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
 * One import: a thread sends the feed while the caller's reads the answers, gives each to its line,
 * counts it, and writes it to where it belongs.
 */
final class ImportRun {
  /** With the sender's pauses between them that makes about half a minute. */
  private static final int MOST_ATTEMPTS = 6;

  private final WeirClient client;
  private final ImportTally tally;
  private final RejectFile rejects;
  private final Writer answersCopy;

  /**
   * @param answersCopy takes every answer, a line each
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
   * @throws IOException if the feed cannot be read or a result not be written
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
        // It may be waiting for the feed, or for us, and nobody will send any more.
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

  /** Deals with an answer; false if the line should be sent once more. */
  private boolean settled(FeedLine.Entry entry, Answers.Line line) throws IOException {
    if (entry.attempt() > 0) {
      tally.waiting(-1);
    }
    switch (line.answer()) {
      case Answer.Assigned assigned -> tally.assigned(assigned);
      case Answer.Refused refused -> {
        if (refused.problem().isPassing() && entry.attempt() + 1 < MOST_ATTEMPTS) {
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

  /** The lines of the answer; what goes wrong with them is told apart from our own files. */
  private final class Answers {
    private final BatchExchange exchange;
    private @Nullable RecordReader lines;

    /** An answer and how it was written. */
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

    /** The head of the answer is waited for only when something has been sent. */
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
