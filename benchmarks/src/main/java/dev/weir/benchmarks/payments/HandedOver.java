package dev.weir.benchmarks.payments;

import io.temporal.api.common.v1.WorkflowExecution;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowStub;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.LongAdder;

/**
 * A client of Temporal that counts the workflows of payments instead of starting them. All others,
 * such as that of the feed, are those of a real client.
 */
final class HandedOver {
  private static final WorkflowExecution EXECUTION = WorkflowExecution.getDefaultInstance();

  private final LongAdder started = new LongAdder();
  private final WorkflowStub payment =
      (WorkflowStub)
          Proxy.newProxyInstance(
              WorkflowStub.class.getClassLoader(),
              new Class<?>[] {WorkflowStub.class},
              (proxy, method, arguments) -> {
                if (!method.getName().equals("start")) {
                  throw new UnsupportedOperationException(method.getName());
                }
                started.increment();
                return EXECUTION;
              });
  private final WorkflowClient client;

  HandedOver(WorkflowClient real) {
    this.client =
        (WorkflowClient)
            Proxy.newProxyInstance(
                WorkflowClient.class.getClassLoader(),
                new Class<?>[] {WorkflowClient.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("newUntypedWorkflowStub")) {
                    return payment;
                  }
                  try {
                    return method.invoke(real, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
  }

  WorkflowClient client() {
    return client;
  }

  long started() {
    return started.sum();
  }
}
