package dev.weir.store.jdbc.slots.internal;

import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.internal.LockedWindows;
import dev.weir.slots.planning.internal.OccupancyView;
import dev.weir.slots.planning.internal.Page;
import dev.weir.slots.planning.internal.Regrouping;
import dev.weir.slots.planning.internal.TimeSpan;
import dev.weir.slots.planning.internal.Window;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A configuration's windows in the database, for the duration of one transaction. */
final class JdbcWindows implements LockedWindows {
  private static final int WINDOWS_A_PAGE = 256;

  /** Windows with many places are large; then a page has fewer of them. */
  private static final int BYTES_A_PAGE = 1 << 20;

  private static final int MIN_WINDOWS_A_PAGE = 8;

  private static final int RUNS_A_PAGE = 256;

  /** Windows of the first page that is rebuilt from slots; each further page is twice as long. */
  private static final int REGROUPED_WINDOWS_A_PAGE = 64;

  private static final int MAX_DOUBLINGS = 10;

  /**
   * Max memory of rebuilt windows before they are written, so that the statement stays short: the
   * configuration is locked meanwhile, and a statement that takes long counts as not answered.
   */
  private static final int BYTES_REBUILT = 4 << 20;

  private final SlotDialect dialect;
  private final Connection connection;
  private final ConfigRow row;
  private final SlotConfig config;
  private final OccupancyView view;
  private final long maxViewBytes;
  private int regroupedPages;

  /**
   * @param maxViewBytes max memory of the view before the parts that can be read again are dropped
   */
  JdbcWindows(
      SlotDialect dialect,
      Connection connection,
      ConfigRow row,
      SlotConfig config,
      OccupancyView view,
      long maxViewBytes) {
    this.dialect = dialect;
    this.connection = connection;
    this.row = row;
    this.config = config;
    this.view = view;
    this.maxViewBytes = maxViewBytes;
  }

  /** Opens windows of which nothing has been read yet. */
  JdbcWindows(SlotDialect dialect, Connection connection, ConfigRow row, SlotConfig config) {
    this(
        dialect,
        connection,
        row,
        config,
        emptyView(row, config),
        OccupancyCache.SHARE_OF_HEAP_BYTES / 4);
  }

  /** Returns an empty view. */
  static OccupancyView emptyView(ConfigRow row, SlotConfig config) {
    return new OccupancyView(config.policy(), row.sinceMicros());
  }

  /** Returns the memory that each of several configurations in a transaction may use. */
  static long shareOf(OccupancyCache views, int configs) {
    return views.maxBytes() / Math.max(4, configs);
  }

  ConfigRow row() {
    return row;
  }

  @Override
  public SlotConfig config() {
    return config;
  }

  @Override
  public OccupancyView view() {
    return view;
  }

  @Override
  public void trim() {
    if (isLarge()) {
      view.forgetUnchanged();
    }
  }

  /** Returns true if the view exceeds its share of memory. */
  boolean isLarge() {
    return view.heapBytes() > maxViewBytes;
  }

  @Override
  public Optional<Page> page(long fromMicros) {
    try {
      long until = storedUntil(fromMicros);
      return fromMicros < until ? Optional.of(stored(fromMicros, until)) : Optional.empty();
    } catch (SQLException e) {
      throw Transactions.failure(dialect.database(), e);
    }
  }

  /**
   * Returns a page, counted from the slots if it is not stored. Counting takes time proportional to
   * the number of slots, so it must not be done under the lock.
   */
  Page pageOrCount(long fromMicros) {
    trim();
    return page(fromMicros)
        .orElseGet(
            () -> {
              try {
                return regrouped(fromMicros);
              } catch (SQLException e) {
                throw Transactions.failure(dialect.database(), e);
              }
            });
  }

  /**
   * Frees places of a window whose slots have ended. If the times of some of its events are not
   * those of places, the window is rebuilt from its slots, which may fit better now.
   */
  void free(long startMicros, List<Integer> places) throws SQLException {
    if (startMicros < storedUntil(startMicros)) {
      page(startMicros).ifPresent(view::add);
      Window window = window(startMicros);
      if (window.offGrid() == 0) {
        places.forEach(place -> view.release(window, place));
      } else {
        rebuild(startMicros);
      }
    }
  }

  /** Rebuilds a window that is stored, or after the begin of the grid, from the slots in it. */
  void rebuild(long startMicros) throws SQLException {
    if (view.vacancies(startMicros).isEmpty()) {
      page(startMicros).ifPresent(view::add);
    }
    view.put(new Window(startMicros));
    regroup(startMicros, startMicros + config.policy().windowMicros());
  }

  /**
   * Returns the time until which windows and runs are stored without a gap from a window on; that
   * window's own start if it is not stored. Before the begin of the grid, only counted spans are
   * stored.
   */
  private long storedUntil(long startMicros) throws SQLException {
    if (startMicros >= row.sinceMicros()) {
      return TimeSpan.NEVER;
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
            "select places, off_grid from slot_window"
                + " where config_id = ? and grid = ? and start_micros = ?",
            row.configId(),
            row.grid(),
            startMicros)
        .orElseGet(() -> new Window(startMicros));
  }

  private Page stored(long fromMicros, long untilMicros) throws SQLException {
    int windowsAPage =
        Math.clamp(
            BYTES_A_PAGE / (1 + config.policy().maxPerWindow() / Byte.SIZE),
            MIN_WINDOWS_A_PAGE,
            WINDOWS_A_PAGE);
    List<Window> windows = new ArrayList<>();
    List<Page.Run> runs = new ArrayList<>();
    dialect.readPage(
        connection,
        new SlotDialect.PageQuery(row, fromMicros, untilMicros, windowsAPage, RUNS_A_PAGE),
        windows,
        runs);
    // A page that reached its row limit says nothing about what follows its last row.
    long until = untilMicros;
    if (windows.size() == windowsAPage) {
      until = Math.min(until, windows.getLast().startMicros() + config.policy().windowMicros());
    }
    if (runs.size() >= RUNS_A_PAGE) {
      until = Math.min(until, runs.getLast().untilMicros());
    }
    return new Page(fromMicros, until, windows, runs);
  }

  private Page regrouped(long fromMicros) throws SQLException {
    SlotPolicy policy = config.policy();
    long windows = (long) REGROUPED_WINDOWS_A_PAGE << Math.min(regroupedPages, MAX_DOUBLINGS);
    regroupedPages++;
    long limit = Math.min(row.sinceMicros(), fromMicros + windows * policy.windowMicros());
    OccupancyView part = new OccupancyView(policy, row.sinceMicros());
    long until = regroup(fromMicros, limit, part, Math.min(maxViewBytes, BYTES_REBUILT));
    OccupancyView.Changes found = part.drainChanges();
    return new Page(fromMicros, until, List.copyOf(found.windows()), found.addedRuns());
  }

  /**
   * Rebuilds the windows of a span of time, of which the view has nothing yet, from their slots. To
   * bound memory, it may stop before the end of the span.
   *
   * @return the time until which windows were rebuilt, at least one window
   */
  long regroup(long fromMicros, long untilMicros) throws SQLException {
    return regroup(fromMicros, untilMicros, view, Math.min(maxViewBytes, BYTES_REBUILT));
  }

  private long regroup(long fromMicros, long untilMicros, OccupancyView into, long maxBytes)
      throws SQLException {
    return regroup(fromMicros, untilMicros, into, maxBytes, start -> false);
  }

  /** Writes the windows that were rebuilt so far. */
  interface Flush {
    void run() throws SQLException;
  }

  /** Rebuilds all windows from a time on, flushing the changes in portions. */
  void regroupFrom(long fromMicros, Flush flush) throws SQLException {
    regroup(
        fromMicros,
        TimeSpan.NEVER,
        view,
        Math.min(maxViewBytes, BYTES_REBUILT),
        start -> {
          flush.run();
          view.forgetBefore(start);
          return true;
        });
    flush.run();
  }

  /** Called between two windows when the rebuilt ones exceed their memory. */
  private interface Continuation {
    boolean goesOn(long nextStartMicros) throws SQLException;
  }

  private long regroup(
      long fromMicros,
      long untilMicros,
      OccupancyView into,
      long maxBytes,
      Continuation continuation)
      throws SQLException {
    Rebuilding rebuilding = new Rebuilding(config.policy(), into, maxBytes, continuation);
    dialect.visitSlots(connection, row, fromMicros, untilMicros, rebuilding);
    return rebuilding.finish(untilMicros);
  }

  /** Windows are rebuilt and flushed in portions: memory is bounded for any backlog. */
  private static final class Rebuilding implements SlotDialect.SlotVisitor {
    private final SlotPolicy policy;
    private final OccupancyView into;
    private final long maxBytes;
    private final Continuation continuation;
    private final Regrouping regrouping;
    private long endMicros = TimeSpan.NEVER;
    private Optional<Long> stoppedAtMicros = Optional.empty();

    Rebuilding(SlotPolicy policy, OccupancyView into, long maxBytes, Continuation continuation) {
      this.policy = policy;
      this.into = into;
      this.maxBytes = maxBytes;
      this.continuation = continuation;
      this.regrouping = new Regrouping(policy, into::put);
    }

    @Override
    public boolean visit(long scheduledMicros, int place, long windowMicros) throws SQLException {
      long start = policy.windowStart(scheduledMicros);
      if (scheduledMicros >= endMicros) {
        regrouping.finish();
        if (into.heapBytes() > maxBytes && !continuation.goesOn(start)) {
          stoppedAtMicros = Optional.of(start);
          return false;
        }
      }
      endMicros = start + policy.windowMicros();
      regrouping.add(scheduledMicros, place, windowMicros);
      return true;
    }

    /** Returns the time until which windows were rebuilt. */
    long finish(long untilMicros) {
      if (stoppedAtMicros.isPresent()) {
        return stoppedAtMicros.get();
      }
      regrouping.finish();
      return untilMicros;
    }
  }
}
