package dev.weir.register;

/**
 * One version in the history of an entry.
 *
 * @param entry the entry; {@link Entry#updatedAt} is the time of this version
 * @param changedBy who made the change, if known
 * @param isRemoval true if this version records the removal of the entry
 */
public record EntryVersion<E>(E entry, String changedBy, boolean isRemoval) {}
