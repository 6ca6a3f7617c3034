package dev.weir.client;

import java.io.IOException;

/**
 * What holding, resuming, cancelling or trying again has changed.
 *
 * @param isChanged false if it was so before
 * @param payments the number of payments that were changed
 */
public record FeedChange(boolean isChanged, long payments) {
  static FeedChange read(JsonObject json) throws IOException {
    return new FeedChange(json.flag("changed"), json.requiredNumber("payments"));
  }
}
