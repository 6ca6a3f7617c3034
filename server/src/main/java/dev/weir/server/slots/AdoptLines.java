package dev.weir.server.slots;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.ByteArrayBuilder;
import dev.weir.StoreException;
import dev.weir.http.fields.JsonDocument;
import dev.weir.http.json.Json;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import dev.weir.slots.AdoptRequest;
import dev.weir.slots.Adoption;
import dev.weir.slots.Overfull;
import dev.weir.slots.SlotScheduler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lines of events that are taken over with their times. */
final class AdoptLines implements LinePortion {
  private static final Logger log = LoggerFactory.getLogger(AdoptLines.class);

  private final SlotScheduler scheduler;
  private final String configName;
  private final Overfull overfull;
  private final List<Line> lines = new ArrayList<>();

  /** A line: an event, or the problem with it. */
  private sealed interface Line {
    record Good(AdoptRequest request) implements Line {}

    record Bad(Problem problem) implements Line {}
  }

  AdoptLines(SlotScheduler scheduler, String configName, Overfull overfull) {
    this.scheduler = scheduler;
    this.configName = configName;
    this.overfull = overfull;
  }

  @Override
  public void add(byte[] buffer, int from, int length, long number) {
    try {
      lines.add(
          new Line.Good(
              AdoptJson.request(JsonDocument.read(buffer, from, length, number), configName)));
    } catch (ProblemException e) {
      lines.add(new Line.Bad(e.problem()));
    }
  }

  @Override
  public void refuse(Problem problem) {
    lines.add(new Line.Bad(problem));
  }

  @Override
  public int size() {
    return lines.size();
  }

  /**
   * Adopts the events at once: which of them a window takes before it has no place left must depend
   * on their order alone.
   */
  @Override
  public Supplier<byte[]> submit() {
    List<AdoptRequest> requests = new ArrayList<>();
    for (Line line : lines) {
      if (line instanceof Line.Good good) {
        requests.add(good.request());
      }
    }
    List<Adoption> adoptions = List.of();
    Optional<Problem> failure = Optional.empty();
    try {
      adoptions = requests.isEmpty() ? List.of() : scheduler.adopt(configName, requests, overfull);
    } catch (StoreException e) {
      // Each response says whether its event may have been adopted. It can be sent again either
      // way.
      log.error("{} events to adopt failed: {}", requests.size(), e.getMessage());
      failure = Optional.of(Problem.of(e));
    }
    byte[] responses = write(adoptions.iterator(), failure);
    return () -> responses;
  }

  private byte[] write(Iterator<Adoption> adoptions, Optional<Problem> failure) {
    try (ByteArrayBuilder out = new ByteArrayBuilder(lines.size() * 256)) {
      try (JsonGenerator json = Json.generator(out)) {
        json.setRootValueSeparator(null);
        for (Line line : lines) {
          switch (line) {
            case Line.Bad bad -> AdoptJson.write(json, Optional.empty(), bad.problem());
            case Line.Good good -> {
              if (failure.isPresent()) {
                AdoptJson.write(json, Optional.of(good.request().eventId()), failure.get());
              } else {
                AdoptJson.write(json, adoptions.next(), configName);
              }
            }
          }
          json.writeRaw('\n');
        }
      }
      return out.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory cannot fail", e);
    }
  }
}
