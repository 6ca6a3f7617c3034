package dev.weir.server.verify;

import dev.weir.slots.NotBefore;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.Spread;
import dev.weir.slots.planning.internal.PolicyTimes;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;

/** A configuration in the database: its row of {@code slot_config} and all its versions. */
record ConfigFact(
    int configId,
    String name,
    int version,
    int grid,
    long sinceMicros,
    NavigableMap<Integer, SlotPolicy> versions) {

  private static final String CONFIGS =
      """
      select config_id, name, version, grid, since from slot_config order by config_id
      """;

  private static final String VERSIONS =
      """
      select version, max_per_window, window_micros, spread, max_delay_micros, not_before, calendar,
             paused_until
      from slot_config_version where config_id = ? order by version
      """;

  static List<ConfigFact> all(Connection connection) throws SQLException {
    List<ConfigFact> configs = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(CONFIGS)) {
      while (row.next()) {
        int configId = row.getInt(1);
        configs.add(
            new ConfigFact(
                configId,
                row.getString(2),
                row.getInt(3),
                row.getInt(4),
                row.getLong(5),
                versions(connection, configId)));
      }
    }
    return configs;
  }

  private static NavigableMap<Integer, SlotPolicy> versions(Connection connection, int configId)
      throws SQLException {
    NavigableMap<Integer, SlotPolicy> versions = new TreeMap<>();
    try (PreparedStatement statement = connection.prepareStatement(VERSIONS)) {
      statement.setInt(1, configId);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          versions.put(row.getInt(1), policy(row));
        }
      }
    }
    return versions;
  }

  private static SlotPolicy policy(ResultSet row) throws SQLException {
    long maxDelay = row.getLong(5);
    boolean unbounded = row.wasNull();
    long pausedUntil = row.getLong(8);
    boolean notPaused = row.wasNull();
    return PolicyTimes.policy(
        row.getInt(2),
        row.getLong(3),
        Spread.valueOf(row.getString(4).toUpperCase(Locale.ROOT)),
        unbounded ? PolicyTimes.UNBOUNDED : maxDelay,
        NotBefore.valueOf(row.getString(6).toUpperCase(Locale.ROOT)),
        StoredCalendar.read(row.getString(7)),
        notPaused ? PolicyTimes.NOT_PAUSED : pausedUntil);
  }

  SlotPolicy inForce() {
    return policy(version);
  }

  SlotPolicy policy(int anyVersion) {
    return Objects.requireNonNull(versions.get(anyVersion));
  }

  /** Returns true if places of ended slots may have stayed taken because their time had passed. */
  boolean mayKeepEnded() {
    return versions.values().stream().anyMatch(policy -> policy.notBefore() == NotBefore.NOW);
  }
}
