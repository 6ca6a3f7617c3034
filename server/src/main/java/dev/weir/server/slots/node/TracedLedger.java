package dev.weir.server.slots.node;

import dev.weir.node.tracing.Tracing;
import dev.weir.slots.AdoptRequest;
import dev.weir.slots.Adoption;
import dev.weir.slots.AssignReply;
import dev.weir.slots.AssignRequest;
import dev.weir.slots.Assignment;
import dev.weir.slots.ForecastResult;
import dev.weir.slots.Overfull;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotLedger;
import dev.weir.slots.SlotQuery;
import dev.weir.slots.Transition;
import dev.weir.slots.WaitMode;
import dev.weir.slots.WindowCount;
import dev.weir.slots.WindowQuery;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A ledger that records a span for each batch. One caller of a batch executes it for all, so the
 * span belongs to that caller's trace.
 */
final class TracedLedger implements SlotLedger {
  private final SlotLedger ledger;
  private final Tracer tracer;

  TracedLedger(SlotLedger ledger, Tracing tracing) {
    this.ledger = ledger;
    this.tracer = tracing.tracer();
  }

  @Override
  public List<Assignment> assign(List<AssignRequest> requests) {
    return traced(requests, () -> ledger.assign(requests));
  }

  @Override
  public List<? extends AssignReply> attempt(List<AssignRequest> requests, WaitMode waitMode) {
    return this.<List<? extends AssignReply>>traced(
        requests, () -> ledger.attempt(requests, waitMode));
  }

  @Override
  public int batchSize(List<AssignRequest> requests) {
    return ledger.batchSize(requests);
  }

  private <T> T traced(List<AssignRequest> requests, Supplier<T> work) {
    Span span =
        tracer
            .spanBuilder("slots batch")
            .setSpanKind(SpanKind.CLIENT)
            .setAttribute("weir.batch.size", requests.size())
            .startSpan();
    try {
      return work.get();
    } catch (RuntimeException e) {
      span.setStatus(StatusCode.ERROR).recordException(e);
      throw e;
    } finally {
      span.end();
    }
  }

  @Override
  public List<Adoption> adopt(String configName, List<AdoptRequest> requests, Overfull overfull) {
    return ledger.adopt(configName, requests, overfull);
  }

  @Override
  public Optional<Slot> find(String eventId) {
    return ledger.find(eventId);
  }

  @Override
  public Transition confirm(String eventId) {
    return ledger.confirm(eventId);
  }

  @Override
  public Transition cancel(String eventId) {
    return ledger.cancel(eventId);
  }

  @Override
  public List<Slot> list(SlotQuery query) {
    return ledger.list(query);
  }

  @Override
  public List<WindowCount> windows(WindowQuery query) {
    return ledger.windows(query);
  }

  @Override
  public ForecastResult forecast(SlotConfig config, Instant from, long events) {
    return ledger.forecast(config, from, events);
  }

  @Override
  public Instant now() {
    return ledger.now();
  }
}
