package dev.weir.store.redis;

import io.lettuce.core.cluster.SlotHash;

/** Short hash tags for all slots of a Cluster, searched once by trial. */
final class SlotTags {
  private static final int RADIX = 36;
  private static final String[] TAGS = find();

  private SlotTags() {}

  static String of(int slot) {
    return TAGS[slot];
  }

  private static String[] find() {
    String[] tags = new String[SlotHash.SLOT_COUNT];
    int found = 0;
    for (int i = 0; found < tags.length; i++) {
      String tag = Integer.toString(i, RADIX);
      int slot = SlotHash.getSlot(tag);
      if (tags[slot] == null) {
        tags[slot] = tag;
        found++;
      }
    }
    return tags;
  }
}
