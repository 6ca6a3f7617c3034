package dev.weir.store.tck.rules;

import dev.weir.limits.Concurrency;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.OnStoreFailure;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;
import dev.weir.rules.Rule;
import dev.weir.rules.Rules;
import dev.weir.rules.matching.KeyPart;
import dev.weir.rules.matching.PathPattern;
import dev.weir.rules.spec.Coverage;
import dev.weir.rules.spec.Quota;
import dev.weir.rules.spec.RuleSpec;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** The compatibility kit of stores of rules. */
public abstract class RulesKit extends RegisterKit<RuleSpec, Rule> {
  private static final Limit LIMIT = FixedWindow.of(100, Duration.ofMinutes(1));

  @Override
  protected abstract Rules register();

  @Override
  protected final RuleSpec titled(String title) {
    return RuleSpec.of("r" + title, Quota.Rate.of(LIMIT));
  }

  @Override
  protected final List<RuleSpec> variety() {
    List<RuleSpec> variety = new ArrayList<>();
    for (Quota quota : quotas()) {
      for (OnStoreFailure failure : failures(quota)) {
        for (Coverage coverage : coverages()) {
          variety.add(
              new RuleSpec(
                  "r-" + UUID.randomUUID(),
                  coverage,
                  quota,
                  failure,
                  failure == OnStoreFailure.LOCAL ? -7 : 1_000_000,
                  failure == OnStoreFailure.OPEN ? RuleSpec.Mode.SHADOW : RuleSpec.Mode.ENFORCE,
                  failure == OnStoreFailure.OPEN));
        }
      }
    }
    return variety;
  }

  private static List<Quota> quotas() {
    return List.of(
        Quota.Rate.of(LIMIT),
        new Quota.Rate(
            FixedWindow.of(1, Duration.ofMillis(1)).alignedToEpoch(),
            new Quota.QueueSettings(true, 3, 500)),
        new Quota.Rate(
            SlidingWindow.of(5, Duration.ofDays(1)), new Quota.QueueSettings(false, 7, 1)),
        Quota.Rate.of(TokenBucket.perSecond(10, new BigDecimal("0.3"))),
        new Quota.Concurrent(Concurrency.of(50, Duration.ofSeconds(30))));
  }

  private static List<OnStoreFailure> failures(Quota quota) {
    return quota instanceof Quota.Concurrent
        ? List.of(OnStoreFailure.CLOSED, OnStoreFailure.OPEN)
        : List.of(OnStoreFailure.values());
  }

  private static List<Coverage> coverages() {
    return List.of(
        Coverage.BY_NAME,
        Coverage.of(PathPattern.of("/api/{id}/café/**"))
            .methods(Set.of("POST", "GET"))
            .keyBy(
                List.of(
                    new KeyPart.Header("X-Api-Key"),
                    new KeyPart.Path(),
                    new KeyPart.Global(),
                    new KeyPart.Ip())));
  }
}
