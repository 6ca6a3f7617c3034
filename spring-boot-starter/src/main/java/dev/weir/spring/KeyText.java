package dev.weir.spring;

import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/**
 * Checks that keys have a text of their own. The text of an array, or of an object whose class does
 * not define {@code toString}, is different for each object: each call would have its own limit.
 */
final class KeyText {
  /** Deeper collections are not looked into; they are no sensible keys. */
  private static final int MAX_DEPTH = 8;

  private static final ClassValue<Boolean> HAS_TEXT =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
          try {
            return type.getMethod("toString").getDeclaringClass() != Object.class;
          } catch (NoSuchMethodException e) {
            throw new IllegalStateException("every class has toString", e);
          }
        }
      };

  private KeyText() {}

  /**
   * Checks a value.
   *
   * @throws IllegalArgumentException if it, or an element of it, has no text of its own
   */
  static void require(@Nullable Object value) {
    require(value, 0);
  }

  private static void require(@Nullable Object value, int depth) {
    if (value == null || depth > MAX_DEPTH) {
      return;
    }
    requireText(value.getClass());
    switch (value) {
      case Collection<?> elements -> elements.forEach(element -> require(element, depth + 1));
      case Map<?, ?> entries ->
          entries.forEach(
              (key, element) -> {
                require(key, depth + 1);
                require(element, depth + 1);
              });
      case Optional<?> optional -> optional.ifPresent(element -> require(element, depth + 1));
      default -> {}
    }
  }

  /**
   * Checks a type.
   *
   * @throws IllegalArgumentException if no value of it can have a text of its own. A subclass may
   *     have one
   */
  static void requirePossible(ResolvableType type) {
    requirePossible(type, 0);
  }

  private static void requirePossible(ResolvableType type, int depth) {
    Class<?> known = type.resolve();
    if (known == null || known.isPrimitive() || depth > MAX_DEPTH) {
      return;
    }
    if (known.isArray() || isFinal(known)) {
      requireText(known);
    }
    if (Collection.class.isAssignableFrom(known)
        || Map.class.isAssignableFrom(known)
        || known == Optional.class) {
      for (ResolvableType element : type.getGenerics()) {
        requirePossible(element, depth + 1);
      }
    }
  }

  private static boolean isFinal(Class<?> type) {
    return Modifier.isFinal(type.getModifiers());
  }

  private static void requireText(Class<?> type) {
    if (type.isArray() || !HAS_TEXT.get(type)) {
      throw new IllegalArgumentException(
          ("%s has no text that identifies its values, so calls with equal ones would not be counted"
                  + " together; use a property of it")
              .formatted(type.getTypeName()));
    }
  }
}
