package dev.weir.engine.register;

/**
 * An entry as somebody once made it.
 *
 * @param entry {@link Entry#updatedAt} is when that was
 * @param changedBy who it was, as far as that is known
 * @param isRemoval whether this is how the entry ended
 */
public record EntryVersion<E>(E entry, String changedBy, boolean isRemoval) {}
