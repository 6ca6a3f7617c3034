package dev.weir.store.jdbc.slots.internal;

import dev.weir.internal.Micros;
import dev.weir.slots.AssignRequest;
import dev.weir.slots.Slot;
import java.nio.charset.StandardCharsets;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

/** Writes a batch to Oracle by {@link OracleBlock}, in one round trip. */
final class OracleBlockWriter implements OptimisticWriter {
  /** Max bytes of a slot besides its event id, of a window besides its places, and of its runs. */
  private static final int BYTES_A_SLOT = 160;

  private static final int BYTES_OF_CHANGES = 480;

  /** Max bytes of the lock of a configuration. */
  private static final int BYTES_OF_A_LOCK = 140;

  private final String call;
  private final long earliestMicros;
  private final long latestMicros;
  private final StringBuilder configs = new StringBuilder();
  private final StringBuilder slots = new StringBuilder();
  private final StringBuilder occupancy = new StringBuilder();
  private long assignedAtMicros;
  private boolean hasLongPlaces;

  /**
   * @param call {@link OracleBlock#call}, or the call of a procedure with the same parameters
   * @param step by which the sequence numbers advance
   */
  OracleBlockWriter(
      String call,
      Collection<JdbcWindows> written,
      int step,
      long earliestMicros,
      long latestMicros) {
    this.call = call;
    this.earliestMicros = earliestMicros;
    this.latestMicros = latestMicros;
    for (JdbcWindows config : written) {
      ConfigRow row = config.row();
      append(configs, "{\"c\":%s,\"s\":%s}".formatted(row.configId(), row.seq()));
    }
    for (OccupancyRow row : OccupancyRow.changes(written, step)) {
      append(occupancy, json(row));
      byte[] places = row.places();
      hasLongPlaces |= places != null && 2 * places.length > OracleBlock.MAX_TEXT_BYTES;
    }
  }

  /**
   * Returns true if the rows of a batch fit into the texts of the block, whatever its plan, unless
   * the configurations have changed since the requests were made: see {@link #fits()}.
   */
  static boolean fits(List<AssignRequest> requests) {
    long slotBytes = 0;
    long occupancyBytes = 0;
    Set<String> locked = new HashSet<>();
    for (AssignRequest request : requests) {
      if (locked.add(request.config().name())) {
        occupancyBytes += BYTES_OF_A_LOCK;
      }
      int placesBytes = request.config().policy().maxPerWindow() / Byte.SIZE + 1;
      if (2 * placesBytes > OracleBlock.MAX_TEXT_BYTES) {
        return false;
      }
      slotBytes += BYTES_A_SLOT + quoted(request.request().eventId()).length;
      occupancyBytes += BYTES_OF_CHANGES + 2L * placesBytes;
    }
    return slotBytes <= OracleBlock.MAX_BYTES && occupancyBytes <= OracleBlock.MAX_BYTES;
  }

  private static byte[] quoted(String text) {
    return quote(text).getBytes(StandardCharsets.UTF_8);
  }

  /** Numbers are written as texts, because those of a format depend on the locale. */
  private static String json(OccupancyRow row) {
    byte[] places = row.places();
    return "{\"c\":%s,\"g\":%s,\"k\":%s,\"s\":%s,\"u\":%s,\"t\":%s,\"o\":%s,\"f\":%s%s}"
        .formatted(
            row.configId(),
            row.grid(),
            row.kind(),
            row.startMicros(),
            row.untilMicros(),
            row.taken(),
            row.offGrid(),
            row.isFull() ? 1 : 0,
            places == null ? "" : ",\"p\":\"" + HexFormat.of().formatHex(places) + "\"");
  }

  private static void append(StringBuilder array, String value) {
    array.append(array.isEmpty() ? "[" : ",").append(value);
  }

  /** Quotes a text as JSON, in ASCII, so that no character set can change it. */
  static String quote(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < ' ' || c > '~' || c == '"' || c == '\\') {
        quoted.append("\\u").append(HexFormat.of().toHexDigits(c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }

  @Override
  public OptimisticWriter slots(List<Slot> fresh, Map<String, JdbcWindows> byName) {
    assignedAtMicros = Micros.ceil(fresh.getFirst().assignedAt());
    fresh.stream()
        .sorted(Comparator.comparing(Slot::eventId))
        .forEach(slot -> append(slots, json(slot, byName)));
    return this;
  }

  private static String json(Slot slot, Map<String, JdbcWindows> byName) {
    return "{\"e\":%s,\"c\":%s,\"v\":%s,\"r\":%s,\"w\":%s,\"p\":%s,\"s\":%s}"
        .formatted(
            quote(slot.eventId()),
            Objects.requireNonNull(byName.get(slot.configName())).row().configId(),
            slot.configVersion(),
            Micros.ceil(slot.requestedTime()),
            Micros.ceil(slot.windowStart()),
            slot.place(),
            Micros.ceil(slot.scheduledTime()));
  }

  /**
   * The rows are known only now: a plan is made from the cached configuration, which may be newer
   * than that of the requests and have more places.
   */
  @Override
  public boolean fits() {
    return !hasLongPlaces
        && Stream.of(configs, slots, occupancy)
            .allMatch(array -> array.length() < OracleBlock.MAX_BYTES);
  }

  @Override
  public OptionalLong sendIfCurrent(Connection connection) throws SQLException {
    try (CallableStatement statement = connection.prepareCall(call)) {
      statement.setString(1, configs + "]");
      statement.setString(2, slots + "]");
      statement.setLong(3, assignedAtMicros);
      statement.setString(4, occupancy + "]");
      statement.setLong(5, earliestMicros);
      statement.setLong(6, latestMicros);
      statement.registerOutParameter(7, Types.NUMERIC);
      statement.execute();
      long databaseMicros = statement.getLong(7);
      return statement.wasNull() ? OptionalLong.empty() : OptionalLong.of(databaseMicros);
    }
  }
}
