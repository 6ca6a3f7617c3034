package dev.weir.spring.internal.methods;

import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.spel.support.StandardTypeConverter;

/**
 * Converts values in keys. It refuses to make texts of values that have none of their own, wherever
 * in an expression SpEL converts them: as an operand of {@code +} or as an argument. Thread-safe.
 */
final class KeyConverter implements TypeConverter {
  static final KeyConverter INSTANCE = new KeyConverter();

  private static final int MAX_DEPTH = 16;

  private final StandardTypeConverter converter = new StandardTypeConverter();

  private KeyConverter() {}

  /** Thrown for a value without a text. SpEL may wrap it. */
  private static final class NoTextException extends EvaluationException {
    private static final long serialVersionUID = 1;

    private NoTextException(IllegalArgumentException cause) {
      super(String.valueOf(cause.getMessage()), cause);
    }
  }

  /** Returns the failure of this converter that has caused another; else the other. */
  static EvaluationException cause(EvaluationException failure) {
    Throwable inner = failure;
    for (int depth = 0; depth < MAX_DEPTH && inner != null; depth++) {
      if (inner instanceof NoTextException found) {
        return found;
      }
      inner = inner.getCause();
    }
    return failure;
  }

  /** Returns true for texts, so that SpEL does not convert values to them itself. */
  @Override
  public boolean canConvert(@Nullable TypeDescriptor source, TypeDescriptor target) {
    return target.getType() == String.class || converter.canConvert(source, target);
  }

  @Override
  public @Nullable Object convertValue(
      @Nullable Object value, @Nullable TypeDescriptor source, TypeDescriptor target) {
    if (value == null || value instanceof String || target.getType() != String.class) {
      return converter.convertValue(value, source, target);
    }
    boolean isConvertible = converter.canConvert(source, target);
    try {
      KeyText.requireConverted(value);
      if (!isConvertible) {
        // Its own text; an array has none.
        KeyText.require(value);
      }
    } catch (IllegalArgumentException e) {
      throw new NoTextException(e);
    }
    return isConvertible ? converter.convertValue(value, source, target) : value.toString();
  }
}
