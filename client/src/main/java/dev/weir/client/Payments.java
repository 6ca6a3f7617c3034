package dev.weir.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Payments and the feeds that bring them. Thread-safe. */
public final class Payments {
  private static final String PATH = "/api/v1/payments";
  private static final String FEEDS = PATH + "/feeds";

  private final Transport transport;

  Payments(Transport transport) {
    this.transport = transport;
  }

  /**
   * Sends a feed and returns its progress when all of it is stored; nothing of it is paid before. A
   * feed that the server has under the same id is not sent again, and only its progress is
   * returned.
   *
   * @throws ProblemException also if the feed as a whole cannot be used ({@code unusable-feed}), or
   *     another one has its id ({@code feed-id-used})
   */
  public Feed send(FeedUpload feed) {
    return transport.send(
        Call.post(FEEDS)
            .parameter("feedId", feed.id())
            .parameter("configName", feed.configName())
            .parameter("records", feed.records())
            .parameter("controlSum", feed.controlSum())
            .body(feed.contentType(), feed.content())
            .timeout(feed.timeout())
            .repeatable(),
        reply -> Feed.read(reply.json()));
  }

  /** Returns the progress of a feed, if the server has begun to receive it. */
  public Optional<Feed> feed(String feedId) {
    try {
      return transport.send(Call.get(path(feedId)), reply -> Optional.of(Feed.read(reply.json())));
    } catch (ProblemException refused) {
      if (refused.problem().is("unknown-feed")) {
        return Optional.empty();
      }
      throw refused;
    }
  }

  /** Returns the newest feeds. */
  public List<Feed> feeds(long limit) {
    return transport.send(
        Call.get(FEEDS).parameter("limit", Long.toString(limit)),
        reply -> {
          List<Feed> feeds = new ArrayList<>();
          for (JsonObject feed : reply.json().objects("feeds")) {
            feeds.add(Feed.read(feed));
          }
          return feeds;
        });
  }

  /**
   * Returns records of a feed that cannot be paid, in the order of the feed.
   *
   * @param afterLine only later lines; 0 for all
   * @param limit the max number of records, up to 10,000
   */
  public List<RejectedRecord> rejects(String feedId, long afterLine, int limit) {
    return transport.send(
        Call.get(path(feedId) + "/rejects")
            .parameter("after", Long.toString(afterLine))
            .parameter("limit", Integer.toString(limit))
            .accept("application/x-ndjson"),
        RejectedRecord::readLines);
  }

  /** Returns the report about the calls of a feed, as Markdown. */
  public String report(String feedId) {
    return report(feedId, "text/markdown");
  }

  /** Returns the chart of the calls of a feed, as SVG. */
  public String chart(String feedId) {
    return report(feedId, "image/svg+xml");
  }

  private String report(String feedId, String mediaType) {
    return transport.send(Call.get(path(feedId) + "/report").accept(mediaType)).text();
  }

  /** Holds feeds: no call of a payment is begun from now on, by any node. For administrators. */
  public FeedChange hold(FeedScope feeds) {
    return change(feeds, "hold");
  }

  /** Ends a hold. For administrators. */
  public FeedChange resume(FeedScope feeds) {
    return change(feeds, "resume");
  }

  /**
   * Cancels the payments that have not ended, except those of which a call is in progress. For
   * administrators.
   */
  public FeedChange cancel(FeedScope feeds) {
    return change(feeds, "cancel");
  }

  /** Tries failed payments again, except those that may have been made. For administrators. */
  public FeedChange retry(FeedScope feeds) {
    return change(feeds, "retry");
  }

  /**
   * Tries failed payments again, also those that may have been made: only if the payment API still
   * knows their idempotency keys, or they are known not to be made. For administrators.
   */
  public FeedChange forceRetry(FeedScope feeds) {
    return transport.send(
        Call.post(path(feeds) + "/retry").parameter("force", "true"),
        reply -> FeedChange.read(reply.json()));
  }

  private FeedChange change(FeedScope feeds, String action) {
    return transport.send(
        Call.post(path(feeds) + "/" + action), reply -> FeedChange.read(reply.json()));
  }

  /** Returns what became of a payment, if the server knows it. */
  public Optional<Payment> find(String paymentId) {
    try {
      return transport.send(
          Call.get(PATH + "/" + Call.segment(paymentId)),
          reply -> Optional.of(Payment.read(reply.json())));
    } catch (ProblemException refused) {
      if (refused.problem().is("unknown-payment")) {
        return Optional.empty();
      }
      throw refused;
    }
  }

  /** Cancels a payment that has not ended. */
  public Cancellation cancel(String paymentId) {
    return Cancellation.of(transport, Call.delete(PATH + "/" + Call.segment(paymentId)));
  }

  private static String path(FeedScope feeds) {
    return switch (feeds) {
      case FeedScope.All all -> FEEDS;
      case FeedScope.One one -> path(one.feedId());
    };
  }

  private static String path(String feedId) {
    return FEEDS + "/" + Call.segment(feedId);
  }
}
