package dev.weir.store.jdbc;

import dev.weir.core.slots.Calendar;
import dev.weir.core.slots.Page;
import dev.weir.core.slots.Picture;
import dev.weir.core.slots.Regrouping;
import dev.weir.core.slots.Terms;
import dev.weir.core.slots.Window;
import dev.weir.engine.StoreException;
import dev.weir.engine.slots.Book;
import dev.weir.engine.slots.SlotConfig;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A configuration's windows in the database, for the length of one transaction. */
final class JdbcBook implements Book {
  private static final int WINDOWS_A_PAGE = 256;

  /** Windows with many places are large: then a page has fewer, but some. */
  private static final int BYTES_A_PAGE = 1 << 20;

  private static final int FEWEST_WINDOWS_A_PAGE = 8;

  private static final int RUNS_A_PAGE = 256;

  /** Windows of the first page that is built from slots; each further page is twice as long. */
  private static final int REGROUPED_WINDOWS_A_PAGE = 64;

  private static final int MOST_DOUBLINGS = 10;

  /** What windows that are carried over to new terms may take before they are written. */
  private static final int BYTES_A_WRITE = 16 << 20;

  /** What windows of the past that are counted together may take: their book is locked. */
  private static final int BYTES_COUNTED = 4 << 20;

  /** Two statements, one round trip. The run that covers or touches the begin, and those after. */
  private static final String PAGE =
      """
      select start_micros, places, lying from slot_window
      where config_id = ? and grid = ? and start_micros >= ? and start_micros < ? and not is_full
      order by start_micros limit ?;
      (select from_micros, until_micros from full_run
       where config_id = ? and grid = ? and from_micros <= ?
       order by from_micros desc limit 1)
      union all
      (select from_micros, until_micros from full_run
       where config_id = ? and grid = ? and from_micros > ?
       order by from_micros limit ?)
      """;

  private static final String SLOTS_IN_ORDER =
      """
      select s.scheduled, s.place, c.window_micros
      from slot s join slot_config c on c.config_id = s.config_id and c.version = s.version
      where s.config_id = ? and s.state in (0, 1) and s.scheduled >= ? and s.scheduled < ?
      order by s.scheduled
      """;

  private final Connection connection;
  private final BookRow row;
  private final SlotConfig config;
  private final Picture picture;
  private final long mostBytes;
  private int regroupedPages;

  /**
   * @param mostBytes how large the picture may become before what can be read again is forgotten
   */
  JdbcBook(Connection connection, BookRow row, SlotConfig config, Picture picture, long mostBytes) {
    this.connection = connection;
    this.row = row;
    this.config = config;
    this.picture = picture;
    this.mostBytes = mostBytes;
  }

  /** A book of which nothing is known yet. */
  JdbcBook(Connection connection, BookRow row, SlotConfig config) {
    this(connection, row, config, newPicture(row, config), PictureCache.SHARE_OF_HEAP_BYTES / 4);
  }

  /** A picture that knows nothing yet. */
  static Picture newPicture(BookRow row, SlotConfig config) {
    return new Picture(config.terms(), row.sinceMicros());
  }

  /** What one of several books of a transaction may keep in memory. */
  static long shareOf(PictureCache pictures, int books) {
    return pictures.mostBytes() / Math.max(4, books);
  }

  BookRow row() {
    return row;
  }

  @Override
  public SlotConfig config() {
    return config;
  }

  @Override
  public Picture picture() {
    return picture;
  }

  @Override
  public void trim() {
    if (isLarge()) {
      picture.forgetUnchanged();
    }
  }

  /** Returns true if its picture takes more memory than it should. */
  boolean isLarge() {
    return picture.heapBytes() > mostBytes;
  }

  @Override
  public Optional<Page> page(long fromMicros) {
    try {
      long until = storedUntil(fromMicros);
      return fromMicros < until ? Optional.of(stored(fromMicros, until)) : Optional.empty();
    } catch (SQLException e) {
      // All of this is before the commit, and rolled back.
      throw new StoreException(
          StoreException.Outcome.NONE, "the database failed: " + e.getMessage(), e);
    }
  }

  /**
   * A page, counted from the slots if it is not stored, which takes time with the slots that there
   * are. Not for the holder of the lock.
   */
  Page pageOrCount(long fromMicros) {
    trim();
    return page(fromMicros)
        .orElseGet(
            () -> {
              try {
                return regrouped(fromMicros);
              } catch (SQLException e) {
                throw new StoreException(
                    StoreException.Outcome.NONE, "the database failed: " + e.getMessage(), e);
              }
            });
  }

  /**
   * Frees places of a window, after their slots have ended. If some of its events came from windows
   * of another size, it is rebuilt from its slots: they may lie better now.
   */
  void free(long startMicros, List<Integer> places) throws SQLException {
    if (startMicros < storedUntil(startMicros)) {
      page(startMicros).ifPresent(picture::add);
      Window window = window(startMicros);
      if (window.lying() == 0) {
        places.forEach(place -> picture.release(window, place));
      } else {
        picture.put(new Window(startMicros));
        regroup(startMicros, startMicros + config.terms().windowMicros());
      }
    }
  }

  /**
   * The end of the time, from a window on, for which windows and runs are stored; that window's own
   * start if they are not. Before the grid's begin, only what was counted is.
   */
  private long storedUntil(long startMicros) throws SQLException {
    if (startMicros >= row.sinceMicros()) {
      return Calendar.NEVER;
    }
    return CountedSpan.notAfter(connection, row, startMicros)
        .filter(span -> span.covers(startMicros))
        .map(CountedSpan::untilMicros)
        .orElse(startMicros);
  }

  private Window window(long startMicros) throws SQLException {
    return Sql.first(
            connection,
            found -> Window.of(startMicros, found.getBytes(1), found.getInt(2)),
            "select places, lying from slot_window"
                + " where config_id = ? and grid = ? and start_micros = ?",
            row.configId(),
            row.grid(),
            startMicros)
        .orElseGet(() -> new Window(startMicros));
  }

  private Page stored(long fromMicros, long untilMicros) throws SQLException {
    int windowsAPage =
        Math.clamp(
            BYTES_A_PAGE / (1 + config.terms().maxPerWindow() / Byte.SIZE),
            FEWEST_WINDOWS_A_PAGE,
            WINDOWS_A_PAGE);
    List<Window> windows = new ArrayList<>();
    List<Page.Run> runs = new ArrayList<>();
    try (PreparedStatement statement =
        Sql.prepare(
            connection,
            PAGE,
            row.configId(),
            row.grid(),
            fromMicros,
            untilMicros,
            windowsAPage,
            row.configId(),
            row.grid(),
            fromMicros,
            row.configId(),
            row.grid(),
            fromMicros,
            RUNS_A_PAGE)) {
      statement.execute();
      try (ResultSet rows = statement.getResultSet()) {
        while (rows.next()) {
          windows.add(Window.of(rows.getLong(1), rows.getBytes(2), rows.getInt(3)));
        }
      }
      statement.getMoreResults();
      try (ResultSet rows = statement.getResultSet()) {
        while (rows.next()) {
          runs.add(new Page.Run(rows.getLong(1), rows.getLong(2)));
        }
      }
    }
    // A page that came back full tells nothing of what lies behind its last row.
    long until = untilMicros;
    if (windows.size() == windowsAPage) {
      until = Math.min(until, windows.getLast().startMicros() + config.terms().windowMicros());
    }
    if (runs.size() >= RUNS_A_PAGE) {
      until = Math.min(until, runs.getLast().untilMicros());
    }
    return new Page(fromMicros, until, windows, runs);
  }

  private Page regrouped(long fromMicros) throws SQLException {
    Terms terms = config.terms();
    long windows = (long) REGROUPED_WINDOWS_A_PAGE << Math.min(regroupedPages, MOST_DOUBLINGS);
    regroupedPages++;
    long limit = Math.min(row.sinceMicros(), fromMicros + windows * terms.windowMicros());
    Picture part = new Picture(terms, row.sinceMicros());
    long until = regroup(fromMicros, limit, part, Math.min(mostBytes, BYTES_COUNTED));
    Picture.Changes found = part.drainChanges();
    return new Page(fromMicros, until, List.copyOf(found.windows()), found.addedRuns());
  }

  /**
   * Rebuilds the windows of a span of time, of which nothing is known, from their slots. Windows
   * may be large, so it may end before the span does.
   *
   * @return up to which time they were rebuilt, at least one window
   */
  long regroup(long fromMicros, long untilMicros) throws SQLException {
    return regroup(fromMicros, untilMicros, picture, Math.min(mostBytes, BYTES_COUNTED));
  }

  private long regroup(long fromMicros, long untilMicros, Picture into, long maxBytes)
      throws SQLException {
    return regroup(fromMicros, untilMicros, into, maxBytes, start -> false);
  }

  /** What to do when enough windows were rebuilt. */
  interface Flush {
    void run() throws SQLException;
  }

  /** Rebuilds all windows from a time on, handing over what has changed in portions. */
  void regroupFrom(long fromMicros, Flush flush) throws SQLException {
    regroup(
        fromMicros,
        Calendar.NEVER,
        picture,
        Math.min(mostBytes, BYTES_A_WRITE),
        start -> {
          flush.run();
          picture.forgetBefore(start);
          return true;
        });
    flush.run();
  }

  /** Asked between two windows if those before take much memory. */
  private interface Continuation {
    boolean goesOn(long nextStartMicros) throws SQLException;
  }

  private long regroup(
      long fromMicros, long untilMicros, Picture into, long maxBytes, Continuation continuation)
      throws SQLException {
    Terms terms = config.terms();
    Regrouping regrouping = new Regrouping(terms, into::put);
    try (PreparedStatement statement =
        Sql.prepare(connection, SLOTS_IN_ORDER, row.configId(), fromMicros, untilMicros)) {
      // Rows come in portions and windows go in portions: little memory for any backlog.
      statement.setFetchSize(5_000);
      long end = Calendar.NEVER;
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          long scheduled = rows.getLong(1);
          long start = terms.windowStart(scheduled);
          if (scheduled >= end) {
            regrouping.finish();
            if (into.heapBytes() > maxBytes && !continuation.goesOn(start)) {
              return start;
            }
          }
          end = start + terms.windowMicros();
          regrouping.add(scheduled, rows.getInt(2), rows.getLong(3));
        }
      }
    }
    regrouping.finish();
    return untilMicros;
  }
}
