package dev.weir.server.slots;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.ByteArrayBuilder;
import dev.weir.StoreException;
import dev.weir.http.json.Json;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import dev.weir.slots.Assignment;
import dev.weir.slots.SlotRequest;
import dev.weir.slots.SlotScheduler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The entries of a batch and their responses, one for each, in order. An invalid entry is answered
 * with a problem and does not affect the others.
 */
final class BatchResponses {
  private static final Logger log = LoggerFactory.getLogger(BatchResponses.class);

  private final List<Entry> entries = new ArrayList<>();

  /** An entry: a request, or the problem with it. */
  private sealed interface Entry {
    record Good(SlotRequest request) implements Entry {}

    record Bad(Problem problem) implements Entry {}
  }

  /**
   * Adds an entry. If {@code request} throws a {@link ProblemException}, the problem is its
   * response.
   */
  void add(Supplier<SlotRequest> request) {
    try {
      entries.add(new Entry.Good(request.get()));
    } catch (ProblemException e) {
      entries.add(new Entry.Bad(e.problem()));
    }
  }

  int size() {
    return entries.size();
  }

  /** Executes all requests together and writes the responses. */
  byte[] execute(SlotScheduler scheduler, Form form) {
    return submit(scheduler, form).get();
  }

  /**
   * Submits all requests to the scheduler without waiting. The returned supplier waits for the
   * results and writes the responses; it must be called once.
   */
  Supplier<byte[]> submit(SlotScheduler scheduler, Form form) {
    List<SlotRequest> requests = new ArrayList<>(entries.size());
    for (Entry entry : entries) {
      if (entry instanceof Entry.Good good) {
        requests.add(good.request());
      }
    }
    SlotScheduler.Pending pending = requests.isEmpty() ? List::of : scheduler.submit(requests);
    return () -> await(pending, requests.size(), form);
  }

  private byte[] await(SlotScheduler.Pending pending, int requests, Form form) {
    List<Assignment> assignments = List.of();
    Optional<Problem> failure = Optional.empty();
    try {
      assignments = pending.await();
    } catch (StoreException e) {
      // Each response says whether its request may have been done. It can be sent again either way.
      log.error("A batch of {} failed: {}", requests, e.getMessage());
      failure = Optional.of(Problem.of(e));
    }
    return write(form, assignments, failure);
  }

  /** The format of the responses. */
  enum Form {
    /** A JSON array. */
    ARRAY,
    /** One line each. */
    LINES
  }

  private byte[] write(Form form, List<Assignment> assignments, Optional<Problem> failure) {
    try (ByteArrayBuilder out = new ByteArrayBuilder(entries.size() * 256)) {
      try (JsonGenerator json = Json.generator(out)) {
        if (form == Form.ARRAY) {
          json.writeStartArray();
        } else {
          json.setRootValueSeparator(null);
        }
        int next = 0;
        for (Entry entry : entries) {
          switch (entry) {
            case Entry.Bad bad -> write(json, "", bad.problem());
            case Entry.Good good -> {
              if (failure.isPresent()) {
                write(json, good.request().eventId(), failure.get());
              } else {
                write(json, assignments.get(next++));
              }
            }
          }
          if (form == Form.LINES) {
            json.writeRaw('\n');
          }
        }
        if (form == Form.ARRAY) {
          json.writeEndArray();
        }
      }
      return out.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory cannot fail", e);
    }
  }

  private static void write(JsonGenerator json, Assignment assignment) throws IOException {
    switch (assignment) {
      case Assignment.Assigned assigned -> SlotJson.writeAssigned(json, assigned);
      case Assignment.NoCapacity noCapacity ->
          write(json, noCapacity.request().eventId(), SlotJson.problem(noCapacity));
      case Assignment.UnknownConfig unknown ->
          write(json, unknown.request().eventId(), SlotJson.problem(unknown));
    }
  }

  private static void write(JsonGenerator json, String eventId, Problem problem)
      throws IOException {
    json.writeStartObject();
    if (!eventId.isEmpty()) {
      json.writeStringField("eventId", eventId);
    }
    problem.writeFields(json);
    json.writeEndObject();
  }
}
