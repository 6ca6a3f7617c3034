package dev.weir.spring.internal.methods;

import dev.weir.spring.RateLimited;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * A method with {@link RateLimited}, parsed once.
 *
 * @param reactive converts its result; null if its type is not reactive
 */
record LimitedMethod(String rule, KeyExpression key, @Nullable ReactiveAdapter reactive) {
  /**
   * Parses a method.
   *
   * @throws IllegalStateException naming the method and what is wrong with it
   */
  static LimitedMethod of(Method method, RateLimited limited, BeanFactory beans) {
    int modifiers = method.getModifiers();
    if (Modifier.isPrivate(modifiers)
        || Modifier.isStatic(modifiers)
        || Modifier.isFinal(modifiers)) {
      throw wrong(method, "calls of private, static and final methods cannot be intercepted");
    }
    if (KotlinDetector.isSuspendingFunction(method)) {
      throw wrong(method, "suspending functions are not supported");
    }
    Class<?> type = method.getReturnType();
    // Reactor has adapters for CompletionStage too, which would call the method later.
    ReactiveAdapter reactive =
        CompletionStage.class.isAssignableFrom(type)
            ? null
            : ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
    if (reactive == null && Flow.Publisher.class.isAssignableFrom(type)) {
      throw wrong(method, "its result type needs reactor-core on the class path");
    }
    try {
      return new LimitedMethod(
          limited.rule(), KeyExpression.of(limited.key(), method, beans), reactive);
    } catch (IllegalArgumentException e) {
      throw wrong(
          method, "its key \"%s\" cannot be used: %s".formatted(limited.key(), e.getMessage()));
    }
  }

  static IllegalStateException wrong(Method method, String reason) {
    return new IllegalStateException(message(method, reason));
  }

  static IllegalStateException wrong(Method method, String reason, Throwable cause) {
    return new IllegalStateException(message(method, reason), cause);
  }

  private static String message(Method method, String reason) {
    return "@RateLimited on %s.%s: %s."
        .formatted(method.getDeclaringClass().getName(), method.getName(), reason);
  }
}
