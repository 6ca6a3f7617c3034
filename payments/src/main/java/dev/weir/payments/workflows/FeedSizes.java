package dev.weir.payments.workflows;

/**
 * How many payments of a feed are in memory and in one step.
 *
 * @param portion records that are stored in one transaction
 * @param chunk payments that get their slots together
 * @param chunksTogether maximum number of chunks that are started by one activity
 */
record FeedSizes(int portion, int chunk, int chunksTogether) {
  /**
   * About as many as the largest batch of slots. Temporal takes a hundred or two hundred starts a
   * second, so a chunk takes twenty seconds or more; after a crash, heartbeats tell how far it has
   * come.
   */
  static final FeedSizes DEFAULT = new FeedSizes(4_000, 4_000, 20);

  FeedSizes {
    if (portion < 1 || chunk < 1 || chunksTogether < 1) {
      throw new IllegalArgumentException(
          "portion %d, chunk %d and chunksTogether %d must be at least 1"
              .formatted(portion, chunk, chunksTogether));
    }
  }
}
