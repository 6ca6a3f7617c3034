package dev.weir.client;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The slots of events. Thread-safe.
 *
 * <p>An event id has one slot, so every call here may be repeated, also by the caller: an event
 * that has a slot keeps it.
 */
public final class Slots {
  private static final String PATH = "/api/v1/slots";

  private final Transport transport;

  Slots(Transport transport) {
    this.transport = transport;
  }

  /**
   * Assigns an event the earliest free slot from now on.
   *
   * @throws ProblemException also if there is no such configuration ({@code unknown-config}), or no
   *     place within its max delay ({@code no-capacity})
   */
  public Slot assign(String eventId, String configName) {
    return slot(SlotRequest.of(eventId, configName));
  }

  /**
   * Assigns an event the earliest free slot from a time on.
   *
   * @throws ProblemException also if there is no such configuration ({@code unknown-config}), or no
   *     place within its max delay ({@code no-capacity})
   */
  public Slot assign(String eventId, String configName, Instant requestedTime) {
    return slot(SlotRequest.of(eventId, configName).from(requestedTime));
  }

  /** Assigns an event its slot and returns the outcome as a value. */
  public Assignment assign(SlotRequest request) {
    try {
      Reply reply = transport.send(assigning(request));
      return assigned(reply.json());
    } catch (IOException notWeir) {
      throw UnansweredException.notWeir(transport.server(), Outcome.UNKNOWN, notWeir);
    } catch (ProblemException refused) {
      return switch (SlotReply.of(
          request.eventId(), refused.problem(), refused.reply().retryAfter())) {
        case Assignment none -> none;
        case SlotReply.Failed failed -> throw refused;
      };
    }
  }

  private Slot slot(SlotRequest request) {
    return transport.send(assigning(request), reply -> Slot.read(reply.json()));
  }

  private static Call assigning(SlotRequest request) {
    return Call.post(PATH).json(JsonText.write(json -> write(json, request))).repeatable();
  }

  private static Assignment.Assigned assigned(JsonObject json) throws IOException {
    return new Assignment.Assigned(Slot.read(json), json.flag("replayed"));
  }

  /**
   * Assigns each event its slot, in order, and returns a result for each, in order. One that fails
   * does not affect the others. Any number of events is sent in several calls.
   *
   * @throws WeirException if a call fails as a whole; events of earlier ones have their slots,
   *     which they get again if all are requested again. Its outcome is that of all calls
   */
  public List<SlotReply> assignAll(List<SlotRequest> requests) {
    List<SlotReply> replies = new ArrayList<>(requests.size());
    try {
      assignAll(requests.iterator(), replies::add);
    } catch (WeirException failed) {
      throw SlotBatch.after(replies, failed);
    }
    return replies;
  }

  /**
   * Assigns any number of events their slots, in order and in constant memory. While the server
   * works on a part of the events, the next one is taken from the iterator and the results of the
   * one before are handed over, all by the calling thread.
   *
   * @param replies gets a result for each event, in order
   * @throws WeirException if a call fails as a whole; the events whose results were not handed over
   *     may have slots, which they get again if they are requested again
   */
  public void assignAll(Iterator<SlotRequest> requests, Consumer<SlotReply> replies) {
    OrderedCalls.run(
        transport,
        () -> SlotBatch.next(requests),
        batch -> batch.assign(transport),
        (batch, results) -> results.forEach(replies));
  }

  /** Returns the slot of an event, if it ever had one. */
  public Optional<StoredSlot> find(String eventId) {
    // By parameter, because an id such as ".." cannot be a part of a path.
    return transport.send(
        Call.get(PATH).parameter("eventId", eventId),
        reply -> {
          List<JsonObject> found = reply.json().objects("slots");
          return found.isEmpty()
              ? Optional.empty()
              : Optional.of(StoredSlot.read(found.getFirst()));
        });
  }

  /** Records that the work of an event has started, so that its slot does not count as leaked. */
  public Confirmation confirm(String eventId) {
    try {
      return transport.send(
          Call.post(PATH + "/" + Call.segment(eventId) + "/confirm").repeatable(),
          reply -> new Confirmation.Confirmed(StoredSlot.read(reply.json())));
    } catch (ProblemException refused) {
      if (refused.problem().is("unknown-event")) {
        return new Confirmation.Unknown();
      }
      if (refused.problem().is("state-conflict")) {
        return new Confirmation.Ended(refused.problem());
      }
      throw refused;
    }
  }

  /** Cancels the slot of an event. It may request another one. */
  public Cancellation cancel(String eventId) {
    return Cancellation.of(transport, Call.delete(PATH + "/" + Call.segment(eventId)));
  }

  /** Calculates when further events would be completed that request a slot from now on. */
  public Forecast forecast(String configName, long events) {
    return forecast(configName, events, Optional.empty());
  }

  /** Calculates when further events would be completed that request a slot from a time on. */
  public Forecast forecast(String configName, long events, Instant from) {
    return forecast(configName, events, Optional.of(from));
  }

  private Forecast forecast(String configName, long events, Optional<Instant> from) {
    return transport.send(
        Call.get(PATH + "/forecast")
            .parameter("configName", configName)
            .parameter("events", Long.toString(events))
            .parameter("from", from),
        reply -> Forecast.read(reply.json()));
  }

  /** Returns how full the windows are from a time on, up to 100 of those that hold events. */
  public WindowPage windows(String configName, Instant from) {
    return transport.send(
        Call.get(PATH + "/windows")
            .parameter("configName", configName)
            .parameter("from", from.toString()),
        reply -> WindowPage.read(reply.json()));
  }

  static void write(JsonGenerator json, SlotRequest request) throws IOException {
    json.writeStartObject();
    json.writeStringField("eventId", request.eventId());
    if (request.configName().isPresent()) {
      json.writeStringField("configName", request.configName().get());
    }
    if (request.requestedTime().isPresent()) {
      json.writeStringField("requestedTime", request.requestedTime().get().toString());
    }
    json.writeEndObject();
  }

  /** Reads the answer to one entry of a batch. */
  static SlotReply reply(String eventId, JsonObject json) throws IOException {
    if (json.text("scheduledTime").isPresent()) {
      return assigned(json);
    }
    if (json.number("status").isPresent()) {
      return SlotReply.of(eventId, Problem.of(json), Optional.empty());
    }
    throw new IOException("neither a slot nor a problem");
  }
}
