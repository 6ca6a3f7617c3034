package dev.weir.server.slots;

import dev.weir.http.fields.JsonDocument;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import dev.weir.slots.SlotScheduler;
import java.util.function.Supplier;

/** Lines of events that are assigned slots. */
final class AssignLines implements LinePortion {
  private final SlotScheduler scheduler;
  private final String defaultConfig;
  private final BatchResponses responses = new BatchResponses();

  AssignLines(SlotScheduler scheduler, String defaultConfig) {
    this.scheduler = scheduler;
    this.defaultConfig = defaultConfig;
  }

  @Override
  public void add(byte[] buffer, int from, int length, long number) {
    responses.add(
        () -> SlotJson.request(JsonDocument.read(buffer, from, length, number), defaultConfig));
  }

  @Override
  public void refuse(Problem problem) {
    responses.add(
        () -> {
          throw new ProblemException(problem);
        });
  }

  @Override
  public int size() {
    return responses.size();
  }

  @Override
  public Supplier<byte[]> submit() {
    return responses.submit(scheduler, BatchResponses.Form.LINES);
  }
}
