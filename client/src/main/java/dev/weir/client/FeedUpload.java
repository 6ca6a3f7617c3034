package dev.weir.client;

import java.io.FileNotFoundException;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * A feed of payments to send.
 *
 * @param id the id by which the feed may be sent again
 * @param configName the slot configuration of payments that name none; the server's if empty
 * @param records the number of records it must have; not compared if empty
 * @param controlSum what its amounts must add up to, such as {@code EUR:1234.50,USD:3.00}; not
 *     compared if empty
 * @param timeout the time for the whole feed
 */
public record FeedUpload(
    String id,
    String contentType,
    BodyPublisher content,
    Optional<String> configName,
    Optional<Long> records,
    Optional<String> controlSum,
    Duration timeout) {
  /** Longer than the largest feed takes. */
  private static final Duration DEFAULT_TIMEOUT = Duration.ofHours(12);

  public FeedUpload {
    Requirements.notBlank("id", id);
    Requirements.positive("timeout", timeout);
  }

  /**
   * Returns a feed in a file, as it is or compressed with gzip.
   *
   * @throws FileNotFoundException if the file cannot be read
   */
  public static FeedUpload csv(String id, Path file) throws FileNotFoundException {
    return of(id, "text/csv", BodyPublishers.ofFile(file));
  }

  /**
   * Returns a feed with a JSON object on each line, in a file as it is or compressed with gzip.
   *
   * @throws FileNotFoundException if the file cannot be read
   */
  public static FeedUpload ndjson(String id, Path file) throws FileNotFoundException {
    return of(id, "application/x-ndjson", BodyPublishers.ofFile(file));
  }

  private static FeedUpload of(String id, String contentType, BodyPublisher content) {
    return new FeedUpload(
        id,
        contentType,
        content,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        DEFAULT_TIMEOUT);
  }

  /** Returns this feed with a slot configuration for payments that name none. */
  public FeedUpload configName(String name) {
    return new FeedUpload(
        id, contentType, content, Optional.of(name), records, controlSum, timeout);
  }

  /** Returns this feed with the number of its records. */
  public FeedUpload records(long count) {
    return new FeedUpload(
        id, contentType, content, configName, Optional.of(count), controlSum, timeout);
  }

  /** Returns this feed with what its amounts add up to in each currency. */
  public FeedUpload controlSum(String sums) {
    return new FeedUpload(
        id, contentType, content, configName, records, Optional.of(sums), timeout);
  }
}
