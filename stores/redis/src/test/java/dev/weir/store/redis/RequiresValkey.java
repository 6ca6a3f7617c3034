package dev.weir.store.redis;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import net.jqwik.api.lifecycle.LifecycleContext;
import net.jqwik.api.lifecycle.SkipExecutionHook;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Marks tests that need Valkey: if it is not installed, both engines skip them and say why. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(RequiresValkey.Condition.class)
@AddLifecycleHook(RequiresValkey.Condition.class)
@interface RequiresValkey {
  /** The condition that the engines evaluate. */
  final class Condition implements ExecutionCondition, SkipExecutionHook {
    private static final String REASON =
        "valkey-server is not installed; ./weir test looks for it on Debian";

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      return RedisProgram.hasValkey()
          ? ConditionEvaluationResult.enabled("Valkey is there")
          : ConditionEvaluationResult.disabled(REASON);
    }

    @Override
    public SkipResult shouldBeSkipped(LifecycleContext context) {
      return RedisProgram.hasValkey() ? SkipResult.doNotSkip() : SkipResult.skip(REASON);
    }
  }
}
