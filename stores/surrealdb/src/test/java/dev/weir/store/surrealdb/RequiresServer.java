package dev.weir.store.surrealdb;

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

/** Marks tests of a SurrealDB server that {@code WEIR_SURREALDB_URL} names. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(RequiresServer.Condition.class)
@AddLifecycleHook(RequiresServer.Condition.class)
@interface RequiresServer {
  /** The condition that the engines evaluate. */
  final class Condition implements ExecutionCondition, SkipExecutionHook {
    private static final String REASON = "WEIR_SURREALDB_URL names no server";

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      return Clients.serverUri().isPresent()
          ? ConditionEvaluationResult.enabled("a server is named")
          : ConditionEvaluationResult.disabled(REASON);
    }

    @Override
    public SkipResult shouldBeSkipped(LifecycleContext context) {
      return Clients.serverUri().isPresent() ? SkipResult.doNotSkip() : SkipResult.skip(REASON);
    }
  }
}
