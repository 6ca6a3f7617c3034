package dev.weir.register;

import java.time.Instant;

/**
 * A versioned definition, such as a rule or a route.
 *
 * @param <T> its content
 */
public interface Entry<T> {
  long id();

  /**
   * Returns the version, which increases with each change. A change names the version that it is
   * based on.
   */
  int version();

  /** Returns the content of this version. */
  T spec();

  Instant createdAt();

  /**
   * Returns the time at which this version was created, which is later than that of the version
   * before, even if the clock was set back, by up to a day.
   */
  Instant updatedAt();

  /** Creates an entry from its parts. */
  @FunctionalInterface
  interface Factory<T, E extends Entry<T>> {
    E create(long id, int version, T spec, Instant createdAt, Instant updatedAt);

    /** Creates the first version of an entry, which follows all that ever had its title. */
    default E first(long id, T spec, TitlePast past, Instant now) {
      Instant time = past.after(now);
      return create(id, past.version() + 1, spec, time, time);
    }

    /**
     * Creates the next version of an entry.
     *
     * @param past of its title, if that is another one than before
     */
    default E next(E before, T spec, TitlePast past, Instant now) {
      TitlePast both = TitlePast.later(past, new TitlePast(before.version(), before.updatedAt()));
      return create(before.id(), both.version() + 1, spec, before.createdAt(), both.after(now));
    }
  }
}
