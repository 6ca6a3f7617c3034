package dev.weir.store.tck.limits.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.Concurrency;
import dev.weir.limits.TokenBucket;
import dev.weir.limits.internal.Definition;
import dev.weir.limits.internal.Definitions;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The compatibility kit of stores of definitions of resources. */
public abstract class DefinitionsKit {
  /** A name that attempts SQL injection. */
  private final String resource =
      "'; drop table bucket; -- \u00e9\ud83d\ude00/*" + UUID.randomUUID();

  protected abstract Definitions<TokenBucket> buckets();

  protected abstract Definitions<Concurrency> concurrency();

  @Test
  void keepsWhatWasDefined() {
    keeps(
        buckets(),
        TokenBucket.of(10, Duration.ofSeconds(1)),
        TokenBucket.perSecond(1_000_000, new BigDecimal("0.1")));
    keeps(
        concurrency(),
        Concurrency.of(1, Duration.ofMillis(1)),
        Concurrency.of(Concurrency.MAX_PLACES, Duration.ofDays(1)));
  }

  @Test
  void remembersUntilWhenLeasesWithALongerTimeToLiveAreHeld() {
    Definitions<Concurrency> definitions = concurrency();
    Duration day = Duration.ofDays(1);
    Definition<Concurrency> made = definitions.define(resource, Concurrency.of(2, day));
    assertThat(made.heldUntil()).isEqualTo(Definition.NEVER_LONGER);

    Definition<Concurrency> shorter =
        definitions.define(resource, Concurrency.of(2, Duration.ofHours(1)));
    assertThat(shorter.heldUntil()).isEqualTo(shorter.updatedAt().plus(day));
    assertThat(definitions.find(resource)).contains(shorter);

    Definition<Concurrency> shortest =
        definitions.define(resource, Concurrency.of(2, Duration.ofMillis(50)));
    assertThat(shortest.heldUntil()).isEqualTo(shorter.heldUntil());

    Definition<Concurrency> longer =
        definitions.define(resource, Concurrency.of(3, Duration.ofDays(2)));
    assertThat(longer.heldUntil()).isEqualTo(shorter.heldUntil());
    assertThat(definitions.find(resource)).contains(longer);

    definitions.remove(resource);
    assertThat(definitions.define(resource, Concurrency.of(2, day)).heldUntil())
        .isEqualTo(Definition.NEVER_LONGER);
  }

  private <L> void keeps(Definitions<L> definitions, L first, L second) {
    assertThat(definitions.find(resource)).isEmpty();

    Definition<L> made = definitions.define(resource, first);
    assertThat(made.limit()).isEqualTo(first);
    assertThat(made.updatedAt()).isEqualTo(made.createdAt());
    assertThat(definitions.find(resource)).contains(made);

    Definition<L> changed = definitions.define(resource, second);
    assertThat(changed.limit()).isEqualTo(second);
    assertThat(changed.createdAt()).isEqualTo(made.createdAt());
    assertThat(changed.updatedAt()).isAfterOrEqualTo(made.updatedAt());
    assertThat(definitions.find(resource)).contains(changed);

    assertThat(definitions.remove(resource)).isTrue();
    assertThat(definitions.remove(resource)).isFalse();
    assertThat(definitions.find(resource)).isEmpty();
  }
}
