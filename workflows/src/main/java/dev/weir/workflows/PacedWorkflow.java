package dev.weir.workflows;

import io.temporal.client.WorkflowOptions;
import io.temporal.common.metadata.POJOWorkflowInterfaceMetadata;
import java.util.List;

/**
 * A workflow to be started.
 *
 * @param type the name of its type
 * @param options its task queue and whatever else it needs; {@link PacedStarter} sets its id and
 *     its start delay, and, unless it is set, a reuse policy that rejects a second start
 * @param arguments the arguments of its workflow method
 */
public record PacedWorkflow(String type, WorkflowOptions options, List<Object> arguments) {
  public PacedWorkflow {
    if (type.isBlank()) {
      throw new IllegalArgumentException("type must not be empty");
    }
    if (options.getTaskQueue() == null || options.getTaskQueue().isEmpty()) {
      throw new IllegalArgumentException("options must name a task queue");
    }
    arguments = List.copyOf(arguments);
  }

  /** Returns a workflow of a task queue by the name of its type. */
  public static PacedWorkflow of(String type, String taskQueue, Object... arguments) {
    return new PacedWorkflow(
        type, WorkflowOptions.newBuilder().setTaskQueue(taskQueue).build(), List.of(arguments));
  }

  /**
   * Returns a workflow of a task queue by its interface.
   *
   * @throws IllegalArgumentException if the interface has no workflow method
   */
  public static PacedWorkflow of(Class<?> workflow, String taskQueue, Object... arguments) {
    String type =
        POJOWorkflowInterfaceMetadata.newInstance(workflow)
            .getWorkflowType()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        workflow.getName() + " must have a workflow method"));
    return of(type, taskQueue, arguments);
  }
}
