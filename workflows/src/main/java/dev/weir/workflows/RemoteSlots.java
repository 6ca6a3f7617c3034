package dev.weir.workflows;

import dev.weir.StoreException;
import dev.weir.client.Assignment;
import dev.weir.client.Confirmation;
import dev.weir.client.Outcome;
import dev.weir.client.ProblemException;
import dev.weir.client.Retries;
import dev.weir.client.Slot;
import dev.weir.client.SlotReply;
import dev.weir.client.StoredSlot;
import dev.weir.client.UnansweredException;
import dev.weir.client.WeirClient;
import dev.weir.client.WeirException;
import dev.weir.slots.SlotRequest;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Slots of a Weir server, over HTTP. Thread-safe. */
public final class RemoteSlots implements SlotSource, AutoCloseable {
  /** Several times as much as the slots of a request need. */
  private static final int MAX_ANSWER_BYTES = 8 * 1024 * 1024;

  private static final Duration MIN_CONNECT_TIMEOUT = Duration.ofSeconds(5);

  /** The share of a time-out in which there has to be a connection. */
  private static final int CONNECT_SHARE = 6;

  private static final String STORE = "weir";

  private final WeirClient client;

  /**
   * The address of a Weir server and how to call it.
   *
   * @param url for example {@code https://weir.example.com}; without a trailing slash
   * @param key the key of a client; empty if the server needs none
   * @param timeout the maximum wait for a whole answer; a sixth of it, but at least 5 seconds of
   *     it, may pass until there is a connection
   */
  public record Settings(URI url, String key, Duration timeout) {
    /** Returns settings with a time-out of 30 seconds. */
    public static Settings of(String url, String key) {
      return new Settings(URI.create(url), key, Duration.ofSeconds(30));
    }

    /** Returns the settings without the key. */
    @Override
    public String toString() {
      return "Settings[url=" + url + "]";
    }
  }

  public RemoteSlots(Settings settings) {
    WeirClient.Builder builder =
        WeirClient.at(settings.url())
            .connectTimeout(connectTimeout(settings.timeout()))
            .attemptTimeout(settings.timeout())
            .timeout(settings.timeout())
            // Its callers repeat, with the pauses of Temporal.
            .retries(Retries.NONE)
            .maxAnswerBytes(MAX_ANSWER_BYTES);
    if (!settings.key().isEmpty()) {
      builder.credential(settings.key());
    }
    this.client = builder.build();
  }

  /** A server that cannot be reached is noticed earlier than one that is slow. */
  private static Duration connectTimeout(Duration timeout) {
    Duration share = timeout.dividedBy(CONNECT_SHARE);
    if (share.compareTo(MIN_CONNECT_TIMEOUT) >= 0) {
      return share;
    }
    return timeout.compareTo(MIN_CONNECT_TIMEOUT) < 0 ? timeout : MIN_CONNECT_TIMEOUT;
  }

  @Override
  public List<PacedSlot> assign(List<SlotRequest> requests) {
    List<SlotReply> replies =
        call(() -> client.slots().assignAll(requests.stream().map(RemoteSlots::remote).toList()));
    List<PacedSlot> slots = new ArrayList<>(replies.size());
    for (SlotReply reply : replies) {
      slots.add(slot(reply));
    }
    return slots;
  }

  private static dev.weir.client.SlotRequest remote(SlotRequest request) {
    dev.weir.client.SlotRequest remote =
        dev.weir.client.SlotRequest.of(request.eventId(), request.configName());
    return request.requestedTime().map(remote::from).orElse(remote);
  }

  private PacedSlot slot(SlotReply reply) {
    return switch (reply) {
      case Assignment.Assigned assigned -> {
        Slot slot = assigned.slot();
        boolean isConfirmed = assigned.replayed() && isConfirmed(slot.eventId());
        yield new PacedSlot.Assigned(slot.requestedTime(), slot.scheduledTime(), isConfirmed);
      }
      case Assignment.NoCapacity full -> new PacedSlot.None(full.problem().detail());
      case Assignment.UnknownConfig unknown -> new PacedSlot.None(unknown.problem().detail());
      case SlotReply.Failed failed ->
          throw new StoreException(
              STORE,
              outcome(failed.outcome()),
              "Weir refused event %s: %s".formatted(failed.eventId(), failed.problem().detail()));
    };
  }

  /** The answer to a repeated request does not say whether the work has started. */
  private boolean isConfirmed(String eventId) {
    return call(() -> client.slots().find(eventId))
        .map(StoredSlot::state)
        .equals(Optional.of(StoredSlot.State.CONFIRMED));
  }

  @Override
  public Optional<Instant> confirm(String eventId) {
    return switch (call(() -> client.slots().confirm(eventId))) {
      case Confirmation.Confirmed confirmed -> Optional.of(confirmed.slot().slot().scheduledTime());
      case Confirmation.Ended ended -> Optional.empty();
      case Confirmation.Unknown unknown -> Optional.empty();
    };
  }

  /** Also of an event without a slot, or whose slot has another end. */
  @Override
  public void cancel(String eventId) {
    var unused = call(() -> client.slots().cancel(eventId));
  }

  private static <T> T call(Supplier<T> call) {
    try {
      return call.get();
    } catch (WeirException failed) {
      String message =
          switch (failed) {
            case ProblemException problem -> "Weir refused: " + problem.getMessage();
            case UnansweredException unanswered -> "Weir did not answer: " + failed.getMessage();
          };
      throw new StoreException(STORE, outcome(failed.outcome()), message, failed);
    }
  }

  private static StoreException.Outcome outcome(Outcome outcome) {
    return switch (outcome) {
      case NONE -> StoreException.Outcome.NONE;
      case UNKNOWN -> StoreException.Outcome.UNKNOWN;
    };
  }

  @Override
  public void close() {
    client.close();
  }
}
