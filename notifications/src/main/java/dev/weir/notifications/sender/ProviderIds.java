package dev.weir.notifications.sender;

import dev.weir.notifications.messages.MessageLog;

/** Ids that providers give to messages. They come from remote systems, and may be anything. */
final class ProviderIds {
  private ProviderIds() {}

  /**
   * Returns true if an id is stored with its message: not empty, not too long, and printable ASCII.
   * No message has another one, so a receipt with another one belongs to none.
   */
  static boolean isStored(String providerId) {
    return !providerId.isEmpty()
        && providerId.length() <= MessageLog.MAX_PROVIDER_ID_LENGTH
        && providerId.chars().allMatch(c -> c >= ' ' && c <= '~');
  }
}
