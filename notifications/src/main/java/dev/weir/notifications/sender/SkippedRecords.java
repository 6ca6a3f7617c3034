package dev.weir.notifications.sender;

import dev.weir.notifications.sender.OutboundRecord.Lane;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Records of a partition that were read and not kept, because their lanes had no room for them: by
 * their offsets, so that they can be read again in order. Not thread-safe.
 */
final class SkippedRecords {
  private final Map<Lane, TreeSet<Long>> lanes = new HashMap<>();
  private int count;

  int count() {
    return count;
  }

  boolean has(Lane lane) {
    return lanes.containsKey(lane);
  }

  void add(Lane lane, long offset) {
    if (lanes.computeIfAbsent(lane, any -> new TreeSet<>()).add(offset)) {
      count++;
    }
  }

  /** Removes a record if it is the first of its lane; returns false otherwise. */
  boolean removeFirst(Lane lane, long offset) {
    TreeSet<Long> offsets = lanes.get(lane);
    if (offsets == null || offsets.first() != offset) {
      return false;
    }
    offsets.remove(offset);
    count--;
    if (offsets.isEmpty()) {
      lanes.remove(lane);
    }
    return true;
  }

  /** Returns where to read again for the lanes that have room; empty if none has. */
  OptionalLong first(Predicate<Lane> hasRoom) {
    return lanes.entrySet().stream()
        .filter(lane -> hasRoom.test(lane.getKey()))
        .mapToLong(lane -> lane.getValue().first())
        .min();
  }

  /** Removes and returns records that are before {@code end}: the topic has them no more. */
  List<Long> removeBefore(long end) {
    List<Long> gone = new ArrayList<>();
    lanes
        .values()
        .removeIf(
            offsets -> {
              SortedSet<Long> before = offsets.headSet(end);
              gone.addAll(before);
              before.clear();
              return offsets.isEmpty();
            });
    count -= gone.size();
    return gone;
  }
}
