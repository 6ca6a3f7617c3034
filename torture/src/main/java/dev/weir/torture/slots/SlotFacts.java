package dev.weir.torture.slots;

import dev.weir.torture.capability.Round;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.history.Json;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What is known about the slots of a round: what callers saw, and what the database has. */
final class SlotFacts {
  private static final String STORED =
      """
      select c.name, s.event_id, s.scheduled, s.state, s.version
      from slot s join slot_config c using (config_id) where c.name = any(?) order by s.scheduled
      """;

  private static final String VERSIONS =
      """
      select c.name, v.version, v.max_per_window, v.window_micros
      from slot_config_version v join slot_config c using (config_id) where c.name = any(?)
      """;

  private final Map<String, Event> events = new LinkedHashMap<>();
  private final Map<String, Map<Integer, Version>> versions;

  /** A version of a configuration, as stored. */
  record Version(int maxPerWindow, long windowMicros) {}

  /** A slot as stored. */
  record Stored(String config, String eventId, long scheduledMicros, int state, int version) {
    boolean holdsPlace() {
      return state == 0 || state == 1;
    }
  }

  /**
   * An answer with a slot.
   *
   * @param version of the configuration that the slot was assigned under
   */
  record Given(Exchange exchange, long scheduledMicros, boolean isReplay, int version) {}

  /** A change of a configuration that was answered. */
  record Change(Exchange exchange, int version) {}

  /** Everything about one event id. */
  static final class Event {
    final String id;
    final List<Exchange> asks = new ArrayList<>();
    final List<Exchange> cancels = new ArrayList<>();
    final List<Exchange> confirms = new ArrayList<>();
    final List<Given> given = new ArrayList<>();
    private @Nullable Stored stored;

    /** Whether the database may have lost what some of its requests did. */
    private boolean isForgotten;

    Event(String id) {
      this.id = id;
    }

    Optional<Stored> stored() {
      return Optional.ofNullable(stored);
    }

    boolean isForgotten() {
      return isForgotten;
    }

    String config() {
      return Json.read(asks.getFirst().request()).text("configName");
    }

    /** Before this, it cannot have had a slot. */
    long beginNanos() {
      return asks.stream().mapToLong(Exchange::beginNanos).min().orElseThrow();
    }

    /** From the first answer on, it had one. */
    Optional<Given> firstGiven() {
      return given.stream()
          .min((a, b) -> Long.compare(a.exchange().endNanos(), b.exchange().endNanos()));
    }

    /** The shortest account of it: the first answer with a slot, or else its first request. */
    Exchange witness() {
      return firstGiven().map(Given::exchange).orElseGet(asks::getFirst);
    }
  }

  private final Map<String, List<Change>> changes = new HashMap<>();
  private Predicate<Exchange> mayBeForgotten = exchange -> false;

  private SlotFacts(Map<String, Map<Integer, Version>> versions) {
    this.versions = versions;
  }

  static SlotFacts of(Round round) throws SQLException {
    // Payments have slots too.
    String[] configs =
        Stream.concat(
                Stream.of(SlotConfig.values()).map(config -> config.name(round.name())),
                RareCaller.configs(round.name()).stream())
            .toArray(String[]::new);
    try (Connection connection = round.stage().database().connect()) {
      SlotFacts facts =
          of(
              round.history().exchanges(),
              stored(connection, configs),
              versions(connection, configs));
      facts.forget(round.history()::mayBeForgotten);
      return facts;
    }
  }

  static SlotFacts of(
      List<Exchange> exchanges, List<Stored> stored, Map<String, Map<Integer, Version>> versions) {
    SlotFacts facts = new SlotFacts(versions);
    for (Exchange exchange : exchanges) {
      switch (exchange.kind()) {
        case SlotLoad.ASK -> facts.ask(exchange);
        case SlotLoad.CANCEL -> facts.event(exchange.subject()).cancels.add(exchange);
        case SlotLoad.CONFIRM -> facts.event(exchange.subject()).confirms.add(exchange);
        case SlotLoad.CONFIGURE -> facts.change(exchange);
        default -> {
          // Of another load.
        }
      }
    }
    stored.forEach(slot -> facts.event(slot.eventId()).stored = slot);
    return facts;
  }

  /**
   * Marks the events of which the database may have lost something, and leaves out changes that it
   * may have lost: it gives their versions again.
   */
  void forget(Predicate<Exchange> mayBeForgotten) {
    this.mayBeForgotten = mayBeForgotten;
    changes.values().forEach(of -> of.removeIf(change -> mayBeForgotten.test(change.exchange())));
    for (Event event : events.values()) {
      event.isForgotten =
          Stream.of(event.asks, event.cancels, event.confirms)
              .flatMap(List::stream)
              .anyMatch(mayBeForgotten);
    }
  }

  boolean mayBeForgotten(Exchange exchange) {
    return mayBeForgotten.test(exchange);
  }

  private Event event(String id) {
    return events.computeIfAbsent(id, Event::new);
  }

  private void ask(Exchange exchange) {
    Event event = event(exchange.subject());
    event.asks.add(exchange);
    if (exchange.isDone()) {
      Json answer = exchange.fields();
      event.given.add(
          new Given(
              exchange,
              answer.micros("scheduledTime"),
              answer.isTrue("replayed"),
              (int) answer.number("configVersion")));
    }
  }

  private void change(Exchange exchange) {
    if (exchange.isDone()) {
      changes
          .computeIfAbsent(exchange.subject(), any -> new ArrayList<>())
          .add(new Change(exchange, (int) exchange.fields().number("version")));
    }
  }

  /** The changes of a configuration that were answered. */
  List<Change> changes(String config) {
    return changes.getOrDefault(config, List.of());
  }

  /** The change that made a version, if it was answered. */
  Optional<Change> change(String config, int version) {
    return changes(config).stream().filter(change -> change.version() == version).findFirst();
  }

  private static List<Stored> stored(Connection connection, String... configs) throws SQLException {
    List<Stored> stored = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(STORED)) {
      statement.setArray(1, connection.createArrayOf("text", configs));
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          stored.add(
              new Stored(
                  row.getString(1),
                  row.getString(2),
                  row.getLong(3),
                  row.getInt(4),
                  row.getInt(5)));
        }
      }
    }
    return stored;
  }

  private static Map<String, Map<Integer, Version>> versions(
      Connection connection, String... configs) throws SQLException {
    Map<String, Map<Integer, Version>> versions = new HashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(VERSIONS)) {
      statement.setArray(1, connection.createArrayOf("text", configs));
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          versions
              .computeIfAbsent(row.getString(1), any -> new HashMap<>())
              .put(row.getInt(2), new Version(row.getInt(3), row.getLong(4)));
        }
      }
    }
    return versions;
  }

  Collection<Event> events() {
    return events.values();
  }

  /** The versions of a configuration. */
  Map<Integer, Version> versions(String config) {
    return versions.getOrDefault(config, Map.of());
  }

  /** Events that hold a place of a configuration, in order of their times. */
  List<Event> placed(String config) {
    return events.values().stream()
        .filter(
            event ->
                event
                    .stored()
                    .filter(stored -> stored.config().equals(config) && stored.holdsPlace())
                    .isPresent())
        .sorted((a, b) -> Long.compare(at(a), at(b)))
        .toList();
  }

  /** When a placed event is scheduled. */
  static long at(Event event) {
    return event.stored().orElseThrow().scheduledMicros();
  }
}
