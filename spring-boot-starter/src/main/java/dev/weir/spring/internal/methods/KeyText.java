package dev.weir.spring.internal.methods;

import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
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

  /**
   * Checks a value that SpEL converts to a text: it writes the elements of an array.
   *
   * @throws IllegalArgumentException if it, or an element of it, has no text of its own
   */
  static void requireConverted(Object value) {
    requireConverted(value, 0);
  }

  private static void requireConverted(@Nullable Object value, int depth) {
    if (value instanceof Object[] elements && depth <= MAX_DEPTH) {
      for (Object element : elements) {
        requireConverted(element, depth + 1);
      }
    } else if (value != null && !value.getClass().isArray()) {
      require(value, depth);
    }
  }

  private static void require(@Nullable Object value, int depth) {
    if (value == null || isPlain(value) || depth > MAX_DEPTH) {
      return;
    }
    requireText(value.getClass());
    if (isIdentity(value)) {
      throw refusal(value.getClass());
    }
    switch (value) {
      case Collection<?> elements -> elements.forEach(element -> require(element, depth + 1));
      case Map<?, ?> entries ->
          entries.forEach(
              (key, element) -> {
                require(key, depth + 1);
                require(element, depth + 1);
              });
      case Map.Entry<?, ?> entry -> {
        require(entry.getKey(), depth + 1);
        require(entry.getValue(), depth + 1);
      }
      case Optional<?> optional -> optional.ifPresent(element -> require(element, depth + 1));
      case AtomicReference<?> reference -> require(reference.get(), depth + 1);
      default -> {}
    }
  }

  private static boolean isPlain(Object value) {
    return value instanceof CharSequence
        || value instanceof Number
        || value instanceof Boolean
        || value instanceof Character
        || value instanceof Enum<?>
        || value instanceof UUID;
  }

  /** Returns true if the text of a value contains that of its identity, as a future's does. */
  private static boolean isIdentity(Object value) {
    String identity =
        value.getClass().getName() + '@' + Integer.toHexString(System.identityHashCode(value));
    return value.toString().contains(identity);
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
        || Map.Entry.class.isAssignableFrom(known)
        || known == AtomicReference.class
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
      throw refusal(type);
    }
  }

  /** Returns the exception for a type without a text. */
  static IllegalArgumentException refusal(Class<?> type) {
    return new IllegalArgumentException(
        ("%s has no text that identifies its values, so calls with equal ones would not be counted"
                + " together; use a property of it")
            .formatted(type.getTypeName()));
  }
}
