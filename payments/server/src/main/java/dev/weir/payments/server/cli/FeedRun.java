package dev.weir.payments.server.cli;

import dev.weir.client.Feed;
import dev.weir.client.FeedUpload;
import dev.weir.client.Payment;
import dev.weir.client.RejectedRecord;
import dev.weir.client.WeirClient;
import dev.weir.client.WeirException;
import dev.weir.node.cli.Phrases;
import dev.weir.payments.FeedRecord;
import dev.weir.payments.feed.internal.FeedFormat;
import dev.weir.payments.feed.internal.FeedReader;
import dev.weir.payments.feed.internal.FeedTotals;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Sends a feed to a server and follows it until all its payments have ended. */
final class FeedRun {
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(500);
  private static final int PAGE = 10_000;

  private final WeirClient client;
  private final String feedId;
  private final FeedRate rate = new FeedRate();
  private volatile String text = "starting";

  FeedRun(WeirClient client, String feedId) {
    this.client = client;
    this.feedId = feedId;
  }

  /** Returns the progress in one line. Thread-safe. */
  String text() {
    return text;
  }

  /**
   * Sends the feed and waits for its end. A feed that the server knows is only followed.
   *
   * @param announced what the server compares the feed with before any of it is paid
   */
  FeedProgress run(Path file, FeedFormat format, Optional<String> configName, FeedTotals announced)
      throws IOException, InterruptedException {
    FeedUpload upload = upload(file, format, configName, announced);
    try (ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Feed> sending = thread.submit(() -> client.payments().send(upload));
      try {
        Optional<Feed> answer = await(sending);
        while (answer.isEmpty()) {
          look();
          answer = await(sending);
        }
      } finally {
        sending.cancel(true);
      }
    }
    FeedProgress progress = look().orElseThrow(() -> new IOException("the feed is gone"));
    while (!progress.isDone()) {
      Thread.sleep(BETWEEN_LOOKS);
      progress = look().orElseThrow(() -> new IOException("the feed is gone"));
    }
    return progress;
  }

  private FeedUpload upload(
      Path file, FeedFormat format, Optional<String> configName, FeedTotals announced)
      throws FileNotFoundException {
    FeedUpload upload =
        switch (format) {
          case CSV -> FeedUpload.csv(feedId, file);
          case NDJSON -> FeedUpload.ndjson(feedId, file);
        };
    upload = configName.map(upload::configName).orElse(upload);
    if (announced.records().isPresent()) {
      upload = upload.records(announced.records().getAsLong());
    }
    return announced.controlSumText().map(upload::controlSum).orElse(upload);
  }

  private static Optional<Feed> await(Future<Feed> sending)
      throws IOException, InterruptedException {
    try {
      return Optional.of(sending.get(BETWEEN_LOOKS.toMillis(), TimeUnit.MILLISECONDS));
    } catch (TimeoutException underWay) {
      return Optional.empty();
    } catch (CancellationException cancelled) {
      throw new IOException("the feed was not sent", cancelled);
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof WeirException known) {
        throw known;
      }
      throw new IllegalStateException(failed.getCause());
    }
  }

  /** Asks for the progress; empty if the server has not begun to receive the feed. */
  private Optional<FeedProgress> look() {
    Optional<Feed> feed = client.payments().feed(feedId);
    if (feed.isEmpty()) {
      return Optional.empty();
    }
    FeedProgress progress = new FeedProgress(feed.get());
    double perSecond = rate.add(System.nanoTime(), progress.ended());
    StringBuilder line = new StringBuilder(progress.counts());
    if (perSecond > 0) {
      line.append(", ").append(Phrases.number(Math.round(perSecond))).append("/s");
    }
    progress
        .timeLeft(Instant.now(), perSecond)
        .ifPresent(left -> line.append(", ").append(Phrases.clock(left)).append(" left"));
    text = line.toString();
    return Optional.of(progress);
  }

  /**
   * Looks for a payment of the file that is not paid: those that earlier feeds contain are not
   * counted with this one. Returns its id and state.
   *
   * @param announced what the feed was sent with: a last line without a line end is a record only
   *     by its number of records
   * @param repeated how many of its records are not counted with this feed; the search ends with
   *     the last of them
   */
  Optional<String> unpaid(Path file, FeedFormat format, FeedTotals announced, long repeated)
      throws IOException {
    long asked = 0;
    long left = repeated;
    try (InputStream in = Files.newInputStream(file)) {
      FeedReader records =
          FeedReader.open(in, format, new FeedTotals(announced.records(), Optional.empty()));
      for (Optional<FeedRecord> next = records.next();
          next.isPresent() && left > 0;
          next = records.next()) {
        if (next.get() instanceof FeedRecord.Accepted accepted) {
          String id = accepted.payment().paymentId();
          text =
              "looking for the payments that earlier feeds contain: record "
                  + Phrases.number(++asked);
          Payment payment =
              client
                  .payments()
                  .find(id)
                  .orElseThrow(() -> new IOException("the server does not know payment " + id));
          if (payment.state() != Payment.State.PAID) {
            return Optional.of("%s is %s".formatted(id, payment.state()));
          }
          if (!payment.feedId().equals(feedId)) {
            left--;
          }
        }
      }
    }
    return Optional.empty();
  }

  /** Writes the rejected records to a file, a line each. */
  void writeRejects(Path file) throws IOException {
    try (Writer out = Files.newBufferedWriter(file)) {
      List<RejectedRecord> page = client.payments().rejects(feedId, 0, PAGE);
      while (!page.isEmpty()) {
        for (RejectedRecord reject : page) {
          out.write(reject.json());
          out.write('\n');
        }
        page = client.payments().rejects(feedId, page.getLast().line(), PAGE);
      }
    }
  }
}
