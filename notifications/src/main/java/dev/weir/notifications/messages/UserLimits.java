package dev.weir.notifications.messages;

import java.util.List;
import java.util.Optional;

/**
 * The limits of all users. Every method is one atomic step and throws {@link
 * dev.weir.StoreException} if the store fails. Thread-safe.
 */
public interface UserLimits {
  /** Maximum number of users on a page. */
  int MAX_PAGE = 1_000;

  /** Creates or replaces a user's limit, and resets the usage. */
  UserState configure(UserLimit limit);

  Optional<UserState> find(long userId);

  /**
   * Returns the users with ids above {@code afterUserId}, in order.
   *
   * @param max from 1 to {@link #MAX_PAGE}
   */
  List<UserState> list(long afterUserId, int max);
}
