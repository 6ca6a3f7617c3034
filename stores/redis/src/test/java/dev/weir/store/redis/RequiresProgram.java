package dev.weir.store.redis;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Optional;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import net.jqwik.api.lifecycle.LifecycleContext;
import net.jqwik.api.lifecycle.SkipExecutionHook;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Marks tests that need a program on the PATH: if it is not installed, both engines skip them and
 * say why.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(RequiresProgram.Condition.class)
@AddLifecycleHook(RequiresProgram.Condition.class)
public @interface RequiresProgram {
  /** The program's name, such as {@code redis-server}. */
  String value();

  /** The condition that the engines evaluate. */
  final class Condition implements ExecutionCondition, SkipExecutionHook {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      return missing(context.getTestClass())
          .map(ConditionEvaluationResult::disabled)
          .orElse(ConditionEvaluationResult.enabled("the program is installed"));
    }

    @Override
    public SkipResult shouldBeSkipped(LifecycleContext context) {
      return missing(context.optionalContainerClass())
          .map(SkipResult::skip)
          .orElse(SkipResult.doNotSkip());
    }

    private static Optional<String> missing(Optional<Class<?>> tests) {
      return tests
          .map(type -> type.getAnnotation(RequiresProgram.class))
          .map(RequiresProgram::value)
          .filter(program -> RedisProgram.onPath(program).isEmpty())
          .map(program -> program + " is not installed; ./weir test looks for it on Debian");
    }
  }
}
