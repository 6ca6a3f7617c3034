package dev.weir.benchmarks.notifications;

import java.util.Map;

/** A way to send messages within the limits of their users. Thread-safe. */
interface SendPath extends AutoCloseable {
  /**
   * Gives limits to consecutive users.
   *
   * @param rateLimit maximum number of messages of each user in a window that outlasts the
   *     benchmark
   */
  void limit(long firstUser, int users, long rateLimit) throws Exception;

  /**
   * Sends a message, and returns when the broker has it.
   *
   * @return false if the limit of the user is used up
   * @throws Exception if it is not known to be sent
   */
  boolean send(long userId, String text) throws Exception;

  /** Returns the topic on which messages arrive. */
  String topic();

  /**
   * Returns how many messages of each user the database has counted, without users that have none.
   */
  Map<Long, Long> counted() throws Exception;

  @Override
  void close();
}
