package dev.weir.store.surrealdb;

import dev.weir.store.tck.internal.SurrealServer;
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

/** Marks tests that need SurrealDB's engine: if it is not installed, both engines skip them. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(RequiresSurrealDb.Condition.class)
@AddLifecycleHook(RequiresSurrealDb.Condition.class)
@interface RequiresSurrealDb {
  /** The condition that the engines evaluate. */
  final class Condition implements ExecutionCondition, SkipExecutionHook {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      return SurrealServer.isAvailable()
          ? ConditionEvaluationResult.enabled("SurrealDB is there")
          : ConditionEvaluationResult.disabled(SurrealServer.MISSING);
    }

    @Override
    public SkipResult shouldBeSkipped(LifecycleContext context) {
      return SurrealServer.isAvailable()
          ? SkipResult.doNotSkip()
          : SkipResult.skip(SurrealServer.MISSING);
    }
  }
}
