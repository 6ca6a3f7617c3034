package dev.weir.rules.spec;

import org.jspecify.annotations.Nullable;

/**
 * The values of the fields of a rule in some notation, such as JSON, properties or a row of a
 * table. It translates values and checks nothing: {@link RuleSpec#read} does.
 */
@FunctionalInterface
public interface RuleSource {
  /**
   * Returns the value of a field, of the class that its {@link FieldType} documents; null if it is
   * absent.
   */
  @Nullable Object value(RuleField field);

  /**
   * Returns true if a field is present, but is not of its type. The source has reported that in its
   * own way; {@link #value} has returned null.
   */
  default boolean isUnreadable(RuleField field) {
    return false;
  }
}
