package dev.weir.notifications.kit;

import dev.weir.internal.Micros;
import dev.weir.notifications.kit.MessageStep.Ask;
import dev.weir.notifications.kit.MessageTrace.Move;
import dev.weir.notifications.messages.MessageState;
import dev.weir.notifications.messages.UserLimit;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ArbitrarySupplier;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** Generates traces of few users, messages and keys, so that steps meet each other. */
public final class MessageTraces implements ArbitrarySupplier<MessageTrace> {
  private static final Arbitrary<Integer> NODES = Arbitraries.integers().between(0, 1);
  private static final Arbitrary<Integer> USERS = Arbitraries.of(0, 0, 0, 1, 2);
  private static final Arbitrary<Integer> MESSAGES =
      Arbitraries.integers().between(0, MessageStep.MESSAGES - 1);
  private static final Arbitrary<List<Integer>> MANY = MESSAGES.list().ofMinSize(1).ofMaxSize(3);
  private static final Arbitrary<Integer> ATTEMPTS = Arbitraries.of(0, 0, 1);
  private static final Arbitrary<MessageState> OUTCOMES =
      Arbitraries.of(
          MessageState.UNKNOWN, MessageState.SENT, MessageState.DELIVERED, MessageState.FAILED);

  @Override
  public Arbitrary<MessageTrace> get() {
    Arbitrary<List<Move>> later = moves().list().ofMinSize(20).ofMaxSize(60);
    return Combinators.combine(configurations(0), configurations(1), later)
        .as(
            (first, second, moves) -> {
              // The third user stays unknown until a later step configures it.
              List<Move> all = new ArrayList<>();
              all.add(new Move.Do(0, first));
              all.add(new Move.Do(1, second));
              all.addAll(moves);
              return new MessageTrace(all);
            });
  }

  private static Arbitrary<Move> moves() {
    return Arbitraries.frequencyOf(
        Tuple.of(40, Combinators.combine(NODES, steps()).as(Move.Do::new)),
        Tuple.of(4, clockMoves().map(Move.MoveClock::new)),
        Tuple.of(3, Arbitraries.of(-1L, 0L, 0L, 1L).map(Move.AwaitRetry::new)));
  }

  private static Arbitrary<Long> clockMoves() {
    return Arbitraries.oneOf(
        Arbitraries.longs().between(-70 * Micros.PER_SECOND, 0),
        Arbitraries.longs().between(0, 100 * Micros.PER_SECOND),
        Arbitraries.of(
            1L,
            60 * Micros.PER_SECOND - 1,
            60 * Micros.PER_SECOND,
            3_600 * Micros.PER_SECOND,
            -3_600 * Micros.PER_SECOND));
  }

  static Arbitrary<MessageStep> steps() {
    return Arbitraries.frequencyOf(
        Tuple.of(2, USERS.flatMap(MessageTraces::configurations)),
        Tuple.of(16, asks().list().ofMinSize(1).ofMaxSize(4).map(MessageStep.Place::new)),
        Tuple.of(4, MANY.map(MessageStep.Published::new)),
        Tuple.of(6, MANY.map(MessageStep.Withdraw::new)),
        Tuple.of(3, MANY.map(MessageStep.Fail::new)),
        Tuple.of(
            4,
            Combinators.combine(
                    Arbitraries.of(0, 0, 30), Arbitraries.of(0, 10, 60), Arbitraries.of(1, 2, 9))
                .as(MessageStep.Claim::new)),
        Tuple.of(
            5,
            Combinators.combine(asks(), Arbitraries.of(-1, 0, 0, 20, 90))
                .as(MessageStep.Defer::new)),
        Tuple.of(2, Arbitraries.of(1, 9).map(MessageStep.Due::new)),
        Tuple.of(6, MANY.map(MessageStep.Release::new)),
        Tuple.of(2, MESSAGES.map(MessageStep.Cancel::new)),
        Tuple.of(
            5,
            Combinators.combine(MANY, ATTEMPTS, Arbitraries.of(MessageStep.HandOver.NEVER, 0, 30))
                .as(MessageStep.HandOver::new)),
        Tuple.of(2, Combinators.combine(MANY, ATTEMPTS).as(MessageStep.NotTaken::new)),
        Tuple.of(4, Combinators.combine(MANY, OUTCOMES).as(MessageStep.Deliver::new)),
        Tuple.of(
            2,
            Combinators.combine(
                    MESSAGES, Arbitraries.of(MessageState.DELIVERED, MessageState.FAILED))
                .as(MessageStep.Receipt::new)),
        Tuple.of(
            2,
            Combinators.combine(
                    MESSAGES, Arbitraries.of(MessageState.DELIVERED, MessageState.FAILED))
                .as(MessageStep.Report::new)),
        Tuple.of(2, Combinators.combine(MANY, ATTEMPTS).as(MessageStep.GiveUp::new)),
        Tuple.of(2, MANY.map(MessageStep.Reopen::new)),
        Tuple.of(2, Combinators.combine(MESSAGES, ATTEMPTS).as(MessageStep.ReopenAttempt::new)),
        Tuple.of(1, Arbitraries.of(0, 0, 60).map(MessageStep.Remove::new)));
  }

  private static Arbitrary<Ask> asks() {
    return Combinators.combine(
            MESSAGES,
            USERS,
            Arbitraries.of(0, 0, 0, 1),
            Arbitraries.of(1, 1, 2, 3),
            Arbitraries.of(MessageStep.NO_KEY, MessageStep.NO_KEY, MessageStep.NO_KEY, 0, 1, 2))
        .as(Ask::new);
  }

  private static Arbitrary<MessageStep> configurations(int user) {
    return Combinators.combine(
            Arbitraries.of(1, 2, 3, 3, 5),
            Arbitraries.of(60, 60, 90, 3_600),
            Arbitraries.of(UserLimit.Algorithm.class),
            Arbitraries.of(UserLimit.CostBy.class),
            Arbitraries.of(false, false, false, true))
        .as(
            (rateLimit, windowSeconds, algorithm, costBy, hasHours) ->
                new MessageStep.Configure(
                    user, rateLimit, windowSeconds, algorithm, costBy, hasHours));
  }
}
