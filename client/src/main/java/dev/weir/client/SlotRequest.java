package dev.weir.client;

import java.time.Instant;
import java.util.Optional;

/**
 * A request for the slot of an event.
 *
 * @param configName the configuration; the server's default one if empty
 * @param requestedTime the earliest time; now, by the clock of the server's store, if empty
 */
public record SlotRequest(
    String eventId, Optional<String> configName, Optional<Instant> requestedTime) {
  public SlotRequest {
    Requirements.wellFormed("eventId", Requirements.notBlank("eventId", eventId));
    configName.ifPresent(name -> Requirements.wellFormed("configName", name));
  }

  /** Returns a request for a slot of the server's default configuration, from now on. */
  public static SlotRequest of(String eventId) {
    return new SlotRequest(eventId, Optional.empty(), Optional.empty());
  }

  /** Returns a request for a slot from now on. */
  public static SlotRequest of(String eventId, String configName) {
    return new SlotRequest(eventId, Optional.of(configName), Optional.empty());
  }

  /** Returns this request for a slot from a time on. */
  public SlotRequest from(Instant time) {
    return new SlotRequest(eventId, configName, Optional.of(time));
  }
}
