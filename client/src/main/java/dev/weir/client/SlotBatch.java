package dev.weir.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/** Requests for slots that are sent together. */
final class SlotBatch {
  /** The server takes an array of up to 10,000 requests and 1 MiB. */
  private static final int MAX_ENTRIES = 5_000;

  private static final int MAX_BYTES = 900 * 1024;

  /** Of a character in JSON, at worst. */
  private static final int MAX_CHARACTER_BYTES = 6;

  /** Of a request beside its id and its configuration. */
  private static final int MAX_FRAME_BYTES = 100;

  private final List<SlotRequest> requests = new ArrayList<>();
  private int maxBytes;

  /** Takes the next batch from an iterator; empty if there is nothing left. */
  static Optional<SlotBatch> next(Iterator<SlotRequest> source) {
    SlotBatch batch = new SlotBatch();
    while (!batch.isFull() && source.hasNext()) {
      SlotRequest request = source.next();
      batch.requests.add(request);
      int characters =
          request.eventId().length() + request.configName().map(String::length).orElse(0);
      batch.maxBytes += characters * MAX_CHARACTER_BYTES + MAX_FRAME_BYTES;
    }
    return batch.requests.isEmpty() ? Optional.empty() : Optional.of(batch);
  }

  private boolean isFull() {
    return requests.size() >= MAX_ENTRIES || maxBytes >= MAX_BYTES;
  }

  /** Assigns the slots; requests that failed because of the server's store are sent again. */
  List<SlotReply> assign(Transport transport) {
    List<SlotReply> replies = new ArrayList<>(send(transport, requests));
    Retries retries = transport.retries();
    for (int attempt = 1; attempt < retries.maxAttempts(); attempt++) {
      List<Integer> again = new ArrayList<>();
      for (int i = 0; i < replies.size(); i++) {
        if (replies.get(i) instanceof SlotReply.Failed failed && failed.problem().isTemporary()) {
          again.add(i);
        }
      }
      if (again.isEmpty()) {
        return replies;
      }
      transport.pause(
          retries.pause(attempt, Optional.empty(), () -> ThreadLocalRandom.current().nextDouble()),
          Outcome.UNKNOWN);
      List<SlotReply> newer =
          sendAgain(transport, again.stream().map(requests::get).toList(), replies);
      for (int i = 0; i < newer.size(); i++) {
        replies.set(again.get(i), after(replies.get(again.get(i)), newer.get(i)));
      }
    }
    return replies;
  }

  /** What an earlier attempt may have done, a later one does not undo. */
  private static SlotReply after(SlotReply earlier, SlotReply later) {
    return earlier instanceof SlotReply.Failed(String id, Problem problem, Outcome first)
            && first == Outcome.UNKNOWN
            && later instanceof SlotReply.Failed failed
        ? new SlotReply.Failed(failed.eventId(), failed.problem(), Outcome.UNKNOWN)
        : later;
  }

  private static List<SlotReply> sendAgain(
      Transport transport, List<SlotRequest> requests, List<SlotReply> earlier) {
    try {
      return send(transport, requests);
    } catch (WeirException failed) {
      throw after(earlier, failed);
    }
  }

  /** Returns a failure that follows results which the caller does not get. */
  static WeirException after(List<SlotReply> earlier, WeirException failed) {
    return failed.outcome() == Outcome.NONE && earlier.stream().anyMatch(SlotBatch::mayBeDone)
        ? failed.afterUnknown()
        : failed;
  }

  private static boolean mayBeDone(SlotReply reply) {
    return switch (reply) {
      case Assignment.Assigned assigned -> true;
      case Assignment.NoCapacity noCapacity -> false;
      case Assignment.UnknownConfig unknownConfig -> false;
      case SlotReply.Failed failed -> failed.outcome() == Outcome.UNKNOWN;
    };
  }

  private static List<SlotReply> send(Transport transport, List<SlotRequest> requests) {
    return transport.send(
        call(requests),
        reply -> {
          List<JsonObject.Element> answers = JsonObject.readArray(reply.body());
          if (answers.size() != requests.size()) {
            throw new IOException(
                "it returned %d slots, not %d".formatted(answers.size(), requests.size()));
          }
          List<SlotReply> replies = new ArrayList<>(answers.size());
          for (int i = 0; i < answers.size(); i++) {
            replies.add(Slots.reply(requests.get(i).eventId(), answers.get(i).object()));
          }
          return replies;
        });
  }

  private static Call call(List<SlotRequest> requests) {
    return Call.post("/api/v1/slots/batch")
        .json(
            JsonText.write(
                json -> {
                  json.writeStartArray();
                  for (SlotRequest request : requests) {
                    Slots.write(json, request);
                  }
                  json.writeEndArray();
                }))
        .repeatable();
  }
}
