package dev.weir.workflows;

import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;

/** A workflow that remembers when it ran. */
@WorkflowInterface
public interface Greeting {
  @WorkflowMethod
  void greet(String name);
}
