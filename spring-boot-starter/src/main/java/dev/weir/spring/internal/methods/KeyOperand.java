package dev.weir.spring.internal.methods;

import java.lang.reflect.Method;
import org.springframework.core.ResolvableType;

/**
 * A parameter whose text becomes the key of calls, or a part of it.
 *
 * @param isJoined whether it is joined with others to a text, as in {@code #a + ':' + #b}. SpEL
 *     then writes the elements of an array, or fails if they have no text
 */
record KeyOperand(int index, boolean isJoined) {
  /**
   * Checks the type of the parameter, as far as it is known.
   *
   * @throws IllegalArgumentException if no value of it has a text
   */
  void requireText(Method method) {
    ResolvableType type = ResolvableType.forMethodParameter(method, index);
    KeyText.requirePossible(isJoined && type.isArray() ? type.getComponentType() : type);
  }
}
