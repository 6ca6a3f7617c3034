package dev.weir.server.cli;

import java.io.IOException;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a query of another system's tables. Times are columns of a type of time, with a zone
 * or in a zone that is given, or texts that the server reads.
 */
final class QueryFeed implements Feed {
  private final ResultSet rows;
  private final ZoneId zone;
  private final List<Kind> kinds = new ArrayList<>();
  private final AdoptLine line;
  private long row;

  /** How the value of a column is read. */
  private enum Kind {
    ZONED,
    LOCAL,
    TEXT
  }

  /**
   * @param zone that of times without one
   * @throws FeedException if it has not the right columns
   */
  QueryFeed(OldTable table, ZoneId zone) throws IOException {
    this.rows = table.rows();
    this.zone = zone;
    List<String> names = new ArrayList<>();
    try {
      ResultSetMetaData columns = rows.getMetaData();
      for (int column = 1; column <= columns.getColumnCount(); column++) {
        names.add(columns.getColumnLabel(column));
        kinds.add(kind(columns.getColumnType(column), columns.getColumnTypeName(column)));
      }
    } catch (SQLException e) {
      throw OldTable.failure(e);
    }
    this.line = new AdoptLine(names);
  }

  /** By the name too: PostgreSQL and Oracle have one type for both, or types of their own. */
  private static Kind kind(int type, String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    if (type == Types.TIMESTAMP_WITH_TIMEZONE
        || lower.equals("timestamptz")
        || (lower.startsWith("timestamp") && lower.endsWith("time zone"))) {
      return Kind.ZONED;
    }
    return type == Types.TIMESTAMP || type == Types.DATE ? Kind.LOCAL : Kind.TEXT;
  }

  @Override
  public @Nullable FeedLine next() throws IOException {
    try {
      if (!rows.next()) {
        return null;
      }
      row++;
      String request = line.json(this::value);
      return new FeedLine.Entry(row, request, request);
    } catch (SQLException e) {
      throw OldTable.failure(e);
    }
  }

  private String value(int column) throws IOException {
    try {
      @Nullable Object value =
          switch (kinds.get(column)) {
            case ZONED -> rows.getObject(column + 1, OffsetDateTime.class);
            case LOCAL -> rows.getObject(column + 1, LocalDateTime.class);
            case TEXT -> rows.getString(column + 1);
          };
      if (value == null) {
        return "";
      }
      return switch (value) {
        case OffsetDateTime time -> time.toInstant().toString();
        case LocalDateTime time -> time.atZone(zone).toInstant().toString();
        default -> value.toString();
      };
    } catch (SQLException e) {
      throw OldTable.failure(e);
    }
  }

  @Override
  public boolean mayBlock() {
    return false;
  }

  @Override
  public long consumedBytes() {
    return 0;
  }
}
