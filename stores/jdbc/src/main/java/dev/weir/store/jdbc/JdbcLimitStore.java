package dev.weir.store.jdbc;

import dev.weir.core.Micros;
import dev.weir.core.limits.Decision;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.Usage;
import dev.weir.engine.Batcher;
import dev.weir.engine.limits.Answer;
import dev.weir.engine.limits.Ask;
import dev.weir.engine.limits.Demand;
import dev.weir.engine.limits.LimitStore;
import dev.weir.engine.limits.Policy;
import dev.weir.engine.limits.Refund;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Limits in PostgreSQL.
 *
 * <p>A decision is one statement, the call of a function that repeats core's arithmetic; whoever
 * asks while one is under way shares the next. The function locks the rows of the usages in one
 * order, reads the database's clock, decides one demand after the other and writes what has
 * changed. What is refused writes nothing, and where all was refused the last time, it is looked
 * without a lock first: whoever is over the limit costs no write to disk.
 */
public final class JdbcLimitStore implements LimitStore<Limit> {
  private static final String READ =
      "select "
          + Sql.NOW
          + """
          , u.at_micros, u.used, u.used_before, u.scale
          from unnest(?::text[]) with ordinality as n(id, i)
          left join lateral (
            select l.at_micros, l.used, l.used_before, l.scale
            from limit_usage l where l.id = n.id offset 0) u on true
          order by n.i
          """;

  private static final String RECALL =
      "select " + Sql.NOW + ", l.expires_at, l.answer from limit_request l where l.id = ?";

  private final Transactions transactions;
  private final StoreClock clock;
  private final IntConsumer batches;
  private final List<Lane> lanes;

  /**
   * How callers share statements.
   *
   * @param lanes how many batches may be under way at once; a key is always in the same one
   * @param largestBatch so many demands are one statement at most
   * @param mostWaiting callers beyond so many, in each lane, are turned away
   */
  public record Settings(int lanes, int largestBatch, int mostWaiting) {
    public static final Settings DEFAULT = new Settings(2, 256, 20_000);

    public Settings {
      if (lanes < 1 || largestBatch < 1 || mostWaiting < largestBatch) {
        throw new IllegalArgumentException(
            "lanes %d and largestBatch %d must be at least 1, mostWaiting %d not below largestBatch"
                .formatted(lanes, largestBatch, mostWaiting));
      }
    }
  }

  /**
   * @param contended told of each new try after another node was first
   */
  public JdbcLimitStore(
      DataSource database, StoreClock clock, Settings settings, Runnable contended) {
    this(database, clock, settings, contended, demands -> {});
  }

  private JdbcLimitStore(
      DataSource database,
      StoreClock clock,
      Settings settings,
      Runnable contended,
      IntConsumer batches) {
    this.transactions = Transactions.prompt(database, contended);
    this.clock = clock;
    this.batches = batches;
    this.lanes =
        Stream.generate(() -> new Lane(settings, PostgresPool.patience(database)))
            .limit(settings.lanes())
            .toList();
  }

  public JdbcLimitStore(DataSource database) {
    this(database, StoreClock.OF_THE_DATABASE, Settings.DEFAULT, () -> {});
  }

  /**
   * A store that is watched.
   *
   * @param batches told how many demands go together, each time
   */
  public JdbcLimitStore(DataSource database, IntConsumer batches) {
    this(database, StoreClock.OF_THE_DATABASE, Settings.DEFAULT, () -> {}, batches);
  }

  /** Callers that share statements. */
  private final class Lane {
    final Batcher<LimitStep, LimitCall.Done> batcher;

    /** Whether nothing was written the last time. */
    private boolean refusing;

    Lane(Settings settings, Duration patience) {
      this.batcher =
          new Batcher<LimitStep, LimitCall.Done>(
                  this::run, settings.largestBatch(), settings.mostWaiting())
              .within(patience);
    }

    private List<LimitCall.Done> run(List<LimitStep> steps) {
      batches.accept(steps.size());
      LimitCall call = LimitCall.of(steps);
      LimitCall.Outcome outcome =
          transactions.writeByOneStatement(
              connection -> call.run(connection, Sql.givenNow(connection, clock), refusing));
      refusing = !outcome.wrote();
      return outcome.done();
    }
  }

  @Override
  public Answer decide(Demand<? extends Limit> demand) {
    return run(new LimitStep.Decide(demand), LimitCall.Decided.class).answer();
  }

  @Override
  public Refund refund(Demand<? extends Limit> demand, Instant grantedAt) {
    LimitStep step = new LimitStep.GiveBack(demand, Micros.clamped(grantedAt));
    return run(step, LimitCall.GivenBack.class).refund();
  }

  private <D extends LimitCall.Done> D run(LimitStep step, Class<D> expected) {
    List<? extends Ask<? extends Limit>> asks = step.demand().asks();
    String name = asks.isEmpty() ? step.demand().requestId() : asks.getFirst().key();
    int lane = Math.floorMod(name.hashCode(), lanes.size());
    return expected.cast(lanes.get(lane).batcher.submit(List.of(step)).getFirst());
  }

  @Override
  public Optional<Answer> recall(Demand<? extends Limit> demand) {
    return transactions
        .read(connection -> Sql.first(connection, this::known, RECALL, demand.requestId()))
        .flatMap(known -> known.answerTo(demand));
  }

  private RememberedRequest known(ResultSet row) throws SQLException {
    return new RememberedRequest(
        clock.micros(row.getLong(1)), row.getLong(2), List.of((Long[]) row.getArray(3).getArray()));
  }

  @Override
  public Answer peek(Demand<? extends Limit> demand) {
    String[] ids =
        demand.taking().stream()
            .map(ask -> UsageId.of(ask.policy(), ask.key()))
            .toArray(String[]::new);
    List<Read> reads =
        transactions.read(connection -> Sql.list(connection, this::read, READ, (Object) ids));
    long nowMicros = reads.getFirst().nowMicros();
    List<Decision> decisions = new ArrayList<>(reads.size());
    for (int i = 0; i < reads.size(); i++) {
      Ask<? extends Limit> ask = demand.taking().get(i);
      decisions.add(ask.policy().limit().peek(reads.get(i).usage(), ask.cost(), nowMicros));
    }
    return new Answer(demand.merged(decisions), Micros.instant(nowMicros), Answer.Mode.STORE);
  }

  @Override
  public Usage usage(Policy<? extends Limit> policy, String key) {
    String[] ids = {UsageId.of(policy, key)};
    return transactions
        .read(connection -> Sql.first(connection, this::read, READ, (Object) ids))
        .orElseThrow()
        .usage();
  }

  /** A usage, and when it was read. */
  private record Read(long nowMicros, Usage usage) {}

  private Read read(ResultSet row) throws SQLException {
    long nowMicros = clock.micros(row.getLong(1));
    long atMicros = row.getLong(2);
    Usage usage =
        row.wasNull()
            ? Usage.NONE
            : new Usage(atMicros, row.getLong(3), row.getLong(4), row.getLong(5));
    return new Read(nowMicros, usage);
  }

  @Override
  public void forget(Policy<? extends Limit> policy, String key) {
    String id = UsageId.of(policy, key);
    int unused =
        transactions.writeByOneStatement(
            connection -> Sql.update(connection, "delete from limit_usage where id = ?", id));
  }

  /** The connections belong to whoever opened them. */
  @Override
  public void close() {}
}
