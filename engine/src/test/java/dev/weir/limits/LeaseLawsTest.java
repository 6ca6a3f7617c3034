package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** Leases and places in a queue compared with a plain list. */
class LeaseLawsTest {
  /** The operations. */
  enum Act {
    ACQUIRE,
    RENEW,
    RELEASE
  }

  /** A step of the clock, then an operation for an id. */
  record Move(long clockMicros, Act act, int id, int places, Concurrency limit) {}

  /** The same for a queue; the operation is to join or to release. */
  record QueueMove(long clockMicros, boolean isJoin, int id, Queue queue) {}

  private static final Arbitrary<Long> STEPS =
      Arbitraries.frequencyOf(
          Tuple.of(3, Arbitraries.longs().between(0, 3)),
          Tuple.of(3, Arbitraries.longs().between(-500, 2_500)),
          Tuple.of(1, Arbitraries.just(Limit.MAX_DURATION_MICROS)));

  private static final Arbitrary<Long> STARTS =
      Arbitraries.of(0L, 1_780_000_000_000_000L, Micros.EARLIEST, Micros.LATEST);

  @Provide
  Arbitrary<List<Move>> moves() {
    Arbitrary<Concurrency> limits =
        Combinators.combine(
                Arbitraries.of(1, 2, 3, 5, Concurrency.MAX_PLACES),
                Arbitraries.of(
                    Limit.MIN_DURATION_MICROS, 1_001L, 2_000L, Limit.MAX_DURATION_MICROS))
            .as(Concurrency::new);
    return Combinators.combine(
            STEPS,
            Arbitraries.of(Act.ACQUIRE, Act.ACQUIRE, Act.RENEW, Act.RELEASE),
            Arbitraries.integers().between(0, 5),
            Arbitraries.of(1, 1, 2, 3, Concurrency.MAX_PLACES),
            limits)
        .as(
            (step, act, id, places, limit) ->
                new Move(step, act, id, Math.min(places, limit.max()), limit))
        .list()
        .ofMinSize(5)
        .ofMaxSize(40);
  }

  @Provide
  Arbitrary<List<QueueMove>> queueMoves() {
    Arbitrary<Queue> queues =
        Combinators.combine(
                Arbitraries.of(1, 2, 3, 4, Concurrency.MAX_PLACES),
                Arbitraries.of(
                    1L, 333L, 1_000L, Limit.MAX_DURATION_MICROS / Concurrency.MAX_PLACES))
            .as(Queue::new);
    return Combinators.combine(
            STEPS, Arbitraries.of(true, true, false), Arbitraries.integers().between(0, 6), queues)
        .as(QueueMove::new)
        .list()
        .ofMinSize(5)
        .ofMaxSize(40);
  }

  @Provide
  Arbitrary<Long> starts() {
    return STARTS;
  }

  /** Keeps all leases ever granted, while core keeps only the live ones. */
  private static final class Ledger {
    private final List<Lease> leases = new ArrayList<>();

    int places(long now) {
      return live(now).stream().mapToInt(Lease::places).sum();
    }

    List<Lease> live(long now) {
      leases.removeIf(lease -> lease.expiresAtMicros() <= now);
      return leases.stream().sorted(Comparator.comparingLong(Lease::expiresAtMicros)).toList();
    }

    Optional<Lease> find(String id, long now) {
      return live(now).stream().filter(lease -> lease.id().equals(id)).findAny();
    }

    void put(Lease lease) {
      remove(lease.id());
      leases.add(lease);
    }

    void remove(String id) {
      leases.removeIf(lease -> lease.id().equals(id));
    }

    /** Returns the first time at which enough leases have expired, searched one by one. */
    long waitFor(int places, int max, long now) {
      return live(now).stream()
              .mapToLong(Lease::expiresAtMicros)
              .filter(
                  end ->
                      places
                              + live(now).stream()
                                  .filter(lease -> lease.expiresAtMicros() > end)
                                  .mapToLong(Lease::places)
                                  .sum()
                          <= max)
              .min()
              .orElseThrow()
          - now;
    }
  }

  @Property(tries = 800, edgeCases = EdgeCasesMode.NONE)
  void leasesAreThoseOfAPlainList(
      @ForAll("moves") List<Move> moves, @ForAll("starts") long startMicros) {
    Ledger ledger = new Ledger();
    LiveLeases leases = LiveLeases.NONE;
    long now = startMicros;
    for (Move move : moves) {
      now += move.clockMicros();
      String id = "l" + move.id();
      Concurrency limit = move.limit();
      LiveLeases.Step<?> step =
          switch (move.act()) {
            case ACQUIRE -> limit.acquire(leases, id, move.places(), now);
            case RENEW -> limit.renew(leases, id, now);
            case RELEASE -> Concurrency.release(leases, id, now);
          };
      assertThat(step.decision()).isEqualTo(expected(ledger, move, id, now));
      leases = step.next();
      assertThat(leases.leases()).containsExactlyInAnyOrderElementsOf(ledger.live(now));
      if (step.decision() instanceof LeaseDecision.Full full) {
        long wait = full.retryAfterMicros();
        assertThat(limit.acquire(leases, id, move.places(), now + wait).decision())
            .isInstanceOf(LeaseDecision.Held.class);
        assertThat(limit.acquire(leases, id, move.places(), now + wait - 1).decision())
            .isInstanceOf(LeaseDecision.Full.class);
      }
    }
  }

  private static LeaseDecision expected(Ledger ledger, Move move, String id, long now) {
    Concurrency limit = move.limit();
    Optional<Lease> held = ledger.find(id, now);
    return switch (move.act()) {
      case ACQUIRE -> {
        if (held.isPresent()) {
          yield new LeaseDecision.Held(held.get(), ledger.places(now));
        }
        if (ledger.places(now) + move.places() > limit.max()) {
          yield new LeaseDecision.Full(
              ledger.places(now), ledger.waitFor(move.places(), limit.max(), now));
        }
        Lease lease = new Lease(id, move.places(), now + limit.ttlMicros());
        ledger.put(lease);
        yield new LeaseDecision.Held(lease, ledger.places(now));
      }
      case RENEW -> {
        if (held.isEmpty()) {
          yield new LeaseDecision.Gone(ledger.places(now));
        }
        long end = Math.max(held.get().expiresAtMicros(), now + limit.ttlMicros());
        Lease lease = new Lease(id, held.get().places(), end);
        ledger.put(lease);
        yield new LeaseDecision.Held(lease, ledger.places(now));
      }
      case RELEASE -> {
        ledger.remove(id);
        yield new LeaseDecision.Gone(ledger.places(now));
      }
    };
  }

  @Property(tries = 800, edgeCases = EdgeCasesMode.NONE)
  void queueIsThatOfAPlainList(
      @ForAll("queueMoves") List<QueueMove> moves, @ForAll("starts") long startMicros) {
    Ledger ledger = new Ledger();
    LiveLeases waiting = LiveLeases.NONE;
    long now = startMicros;
    for (QueueMove move : moves) {
      now += move.clockMicros();
      String id = "t" + move.id();
      Queue queue = move.queue();
      LiveLeases.Step<?> step =
          move.isJoin() ? queue.join(waiting, id, now) : Concurrency.release(waiting, id, now);
      int depth = ledger.places(now);
      if (!move.isJoin()) {
        ledger.remove(id);
        assertThat(step.decision()).isEqualTo(new LeaseDecision.Gone(ledger.places(now)));
      } else if (ledger.find(id, now).isPresent()) {
        assertThat(step.decision())
            .isEqualTo(new LeaseDecision.Held(ledger.find(id, now).orElseThrow(), depth));
      } else if (depth >= queue.maxSize()) {
        long wait = ledger.waitFor(1, queue.maxSize(), now);
        assertThat(step.decision()).isEqualTo(new LeaseDecision.Full(depth, wait));
      } else {
        Lease place = new Lease(id, 1, now + (depth + 1) * queue.delayMicros());
        ledger.put(place);
        assertThat(step.decision()).isEqualTo(new LeaseDecision.Held(place, depth + 1));
      }
      waiting = step.next();
      assertThat(waiting.leases()).containsExactlyInAnyOrderElementsOf(ledger.live(now));
    }
  }
}
