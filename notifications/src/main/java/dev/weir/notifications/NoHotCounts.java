package dev.weir.notifications;

import dev.weir.notifications.messages.HotCounts;
import dev.weir.notifications.messages.UserState;
import java.util.Collections;
import java.util.List;

/** No store of hot counts: the database decides about every request. */
final class NoHotCounts implements HotCounts {
  @Override
  public List<Checked> check(List<Wanted> wanted) {
    return Collections.nCopies(wanted.size(), Passed.UNKNOWN);
  }

  @Override
  public void learn(List<UserState> states) {}

  @Override
  public void forget(long userId) {}
}
