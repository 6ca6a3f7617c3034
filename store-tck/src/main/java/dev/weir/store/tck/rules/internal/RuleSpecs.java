package dev.weir.store.tck.rules.internal;

import dev.weir.limits.Concurrency;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.OnStoreFailure;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;
import dev.weir.rules.matching.KeyPart;
import dev.weir.rules.matching.PathPattern;
import dev.weir.rules.spec.Coverage;
import dev.weir.rules.spec.Quota;
import dev.weir.rules.spec.RuleName;
import dev.weir.rules.spec.RuleSpec;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ArbitrarySupplier;
import net.jqwik.api.Combinators;

/** Generates rules of every kind, up to their bounds. */
public final class RuleSpecs implements ArbitrarySupplier<RuleSpec> {
  @Override
  public Arbitrary<RuleSpec> get() {
    return Combinators.combine(
            names(),
            coverages(),
            Arbitraries.oneOf(rates(), concurrencies()),
            Arbitraries.of(OnStoreFailure.values()),
            Arbitraries.integers().between(-RuleSpec.MAX_PRIORITY, RuleSpec.MAX_PRIORITY),
            Arbitraries.of(RuleSpec.Mode.values()),
            Arbitraries.of(true, false))
        .as(
            (name, coverage, quota, failure, priority, mode, isActive) ->
                new RuleSpec(
                    name,
                    coverage,
                    quota,
                    quota instanceof Quota.Concurrent && failure != OnStoreFailure.OPEN
                        ? OnStoreFailure.CLOSED
                        : failure,
                    priority,
                    mode,
                    isActive));
  }

  private static Arbitrary<String> names() {
    return Arbitraries.strings()
        .withCharRange(' ', '~')
        .ofMinLength(1)
        .ofMaxLength(RuleName.MAX_LENGTH)
        .filter(name -> name.strip().equals(name) && !name.startsWith(RuleName.RESERVED_PREFIX));
  }

  private static Arbitrary<Coverage> coverages() {
    Arbitrary<Optional<PathPattern>> paths =
        Arbitraries.of("", "/", "/**", "/api/{id}/café/**", "/a b/*/%41", "/" + "x".repeat(999))
            .map(text -> Optional.of(text).filter(path -> !path.isEmpty()).map(PathPattern::of));
    Arbitrary<Set<String>> methods =
        Arbitraries.strings()
            .withCharRange('A', 'Z')
            .ofMinLength(1)
            .ofMaxLength(20)
            .set()
            .ofMaxSize(20);
    Arbitrary<List<KeyPart>> keys =
        Arbitraries.<KeyPart>of(
                new KeyPart.Ip(),
                new KeyPart.Path(),
                new KeyPart.Global(),
                new KeyPart.Header("X-Api-Key"),
                new KeyPart.Header("x-api-key"),
                new KeyPart.Header("!#$%&'*+.^_`|~09"))
            .list()
            .ofMinSize(1)
            .ofMaxSize(6)
            .uniqueElements();
    return Combinators.combine(paths, methods, keys).as(Coverage::new);
  }

  private static Arbitrary<Quota> rates() {
    Arbitrary<Long> windows =
        Arbitraries.longs().between(Limit.MIN_DURATION_MICROS, Limit.MAX_DURATION_MICROS);
    Arbitrary<Limit> fixed =
        Combinators.combine(
                Arbitraries.longs().between(1, FixedWindow.MAX_LIMIT),
                windows,
                Arbitraries.of(FixedWindow.Start.values()))
            .as(FixedWindow::new);
    Arbitrary<Limit> sliding =
        Combinators.combine(Arbitraries.longs().between(1, SlidingWindow.MAX_LIMIT), windows)
            .as(SlidingWindow::new);
    // Rates that can be counted exactly: others are lowered when they are read.
    Arbitrary<Limit> buckets =
        Combinators.combine(
                Arbitraries.longs().between(1, 1_000_000),
                Arbitraries.longs().between(1, 1_000_000))
            .as(
                (capacity, thousandths) ->
                    TokenBucket.perSecond(capacity, BigDecimal.valueOf(thousandths, 3)));
    return Combinators.combine(Arbitraries.oneOf(fixed, sliding, buckets), queues())
        .as(Quota.Rate::new);
  }

  private static Arbitrary<Quota.QueueSettings> queues() {
    return Combinators.combine(
            Arbitraries.of(true, false),
            Arbitraries.integers().between(0, Quota.QueueSettings.MAX_SIZE),
            Arbitraries.longs().between(1, Quota.QueueSettings.MAX_DELAY_MILLIS))
        .as(
            (isEnabled, size, delay) ->
                new Quota.QueueSettings(isEnabled && size > 0, size, delay));
  }

  private static Arbitrary<Quota> concurrencies() {
    return Combinators.combine(
            Arbitraries.integers().between(1, Concurrency.MAX_PLACES),
            Arbitraries.longs().between(1_000_000, Limit.MAX_DURATION_MICROS))
        .as((max, ttlMicros) -> new Quota.Concurrent(new Concurrency(max, ttlMicros)));
  }
}
