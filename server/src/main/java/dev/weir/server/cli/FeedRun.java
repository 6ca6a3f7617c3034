package dev.weir.server.cli;

import dev.weir.engine.payments.FeedRecord;
import dev.weir.workflows.feed.internal.FeedFormat;
import dev.weir.workflows.feed.internal.FeedReader;
import dev.weir.workflows.feed.internal.FeedTotals;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
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
  FeedProgress run(Path file, String contentType, Optional<String> configName, FeedTotals announced)
      throws IOException, ProblemException, UnreachableException, InterruptedException {
    try (ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<byte[]> sending =
          thread.submit(
              () ->
                  client.upload(
                      "/api/v1/payments/feeds",
                      Map.of(
                          "feedId", Optional.of(feedId),
                          "configName", configName,
                          "records", records(announced),
                          "controlSum", announced.controlSumText()),
                      contentType,
                      file));
      try {
        Optional<byte[]> answer = await(sending);
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

  private static Optional<String> records(FeedTotals announced) {
    return announced.records().isPresent()
        ? Optional.of(Long.toString(announced.records().getAsLong()))
        : Optional.empty();
  }

  private static Optional<byte[]> await(Future<byte[]> sending)
      throws IOException, ProblemException, UnreachableException, InterruptedException {
    try {
      return Optional.of(sending.get(BETWEEN_LOOKS.toMillis(), TimeUnit.MILLISECONDS));
    } catch (TimeoutException underWay) {
      return Optional.empty();
    } catch (CancellationException cancelled) {
      throw new IOException("the feed was not sent", cancelled);
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof ProblemException refused) {
        throw refused;
      }
      if (failed.getCause() instanceof UnreachableException gone) {
        throw gone;
      }
      if (failed.getCause() instanceof IOException unreadable) {
        throw unreadable;
      }
      throw new IllegalStateException(failed.getCause());
    }
  }

  /** Asks for the progress; empty if the server has not begun to receive the feed. */
  private Optional<FeedProgress> look()
      throws IOException, ProblemException, UnreachableException, InterruptedException {
    FeedProgress progress;
    try {
      progress = FeedProgress.read(client.get(path(""), Map.of()));
    } catch (ProblemException refused) {
      if (refused.problem().status() == 404) {
        return Optional.empty();
      }
      throw refused;
    }
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
   * @param repeated how many of its records are not counted with this feed; the search ends with
   *     the last of them
   */
  Optional<String> unpaid(Path file, FeedFormat format, long repeated)
      throws IOException, ProblemException, UnreachableException, InterruptedException {
    long asked = 0;
    long left = repeated;
    try (InputStream in = Files.newInputStream(file)) {
      FeedReader records = FeedReader.open(in, format);
      for (Optional<FeedRecord> next = records.next();
          next.isPresent() && left > 0;
          next = records.next()) {
        if (next.get() instanceof FeedRecord.Accepted accepted) {
          String id = accepted.payment().paymentId();
          text =
              "looking for the payments that earlier feeds contain: record "
                  + Phrases.number(++asked);
          JsonObject payment =
              JsonObject.read(client.get("/api/v1/payments/" + WeirClient.encoded(id), Map.of()));
          String state = payment.requiredText("state");
          if (!state.equals("PAID")) {
            return Optional.of("%s is %s".formatted(id, state));
          }
          if (!payment.requiredText("feedId").equals(feedId)) {
            left--;
          }
        }
      }
    }
    return Optional.empty();
  }

  /** Writes the rejected records to a file, a line each. */
  void writeRejects(Path file)
      throws IOException, ProblemException, UnreachableException, InterruptedException {
    try (OutputStream out = Files.newOutputStream(file)) {
      long after = 0;
      int lines = PAGE;
      while (lines == PAGE) {
        byte[] page =
            client.get(
                path("/rejects"),
                Map.of(
                    "after", Optional.of(after).filter(line -> line > 0).map(Object::toString),
                    "limit", Optional.of(Integer.toString(PAGE))));
        out.write(page);
        lines = 0;
        for (String line : new String(page, StandardCharsets.UTF_8).lines().toList()) {
          lines++;
          after = JsonObject.read(line.getBytes(StandardCharsets.UTF_8)).requiredNumber("line");
        }
      }
    }
  }

  /** Writes the report in a format. */
  void writeReport(Path file, String mediaType)
      throws IOException, ProblemException, UnreachableException, InterruptedException {
    Files.write(file, report(mediaType));
  }

  /** Returns the report in a format. */
  byte[] report(String mediaType)
      throws ProblemException, UnreachableException, InterruptedException {
    return client.get(path("/report"), Map.of(), mediaType);
  }

  private String path(String more) {
    return "/api/v1/payments/feeds/" + WeirClient.encoded(feedId) + more;
  }
}
