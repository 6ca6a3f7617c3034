package dev.weir.slots;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.slots.internal.MemorySlotLedger;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class ConfigCacheTest {
  private static final SlotPolicy POLICY = SlotPolicy.of(1, Duration.ofSeconds(4));
  private static final SlotPolicy OTHER_POLICY = SlotPolicy.of(2, Duration.ofSeconds(4));

  private final MemorySlotLedger configs =
      new MemorySlotLedger(InstantSource.fixed(Instant.EPOCH), new Random(1), 10);
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 3);
  private final AtomicInteger hits = new AtomicInteger();
  private final AtomicInteger misses = new AtomicInteger();
  private final ConfigCache cache =
      new ConfigCache(
          configs,
          Duration.ofSeconds(5),
          nanos::get,
          new SlotObserver() {
            @Override
            public void configCacheHit() {
              hits.incrementAndGet();
            }

            @Override
            public void configCacheMiss() {
              misses.incrementAndGet();
            }
          });

  @Test
  void readsOnceWithinTheTimeToLive() {
    configs.configure("a", POLICY);

    assertThat(cache.find("a").orElseThrow().version()).isEqualTo(1);
    configs.configure("a", OTHER_POLICY);
    // System.nanoTime overflows in between.
    nanos.addAndGet(Duration.ofSeconds(5).toNanos() - 1);

    assertThat(cache.find("a").orElseThrow().version()).isEqualTo(1);
    assertThat(hits).hasValue(1);
    assertThat(misses).hasValue(1);
  }

  @Test
  void readsAnewWhenTheTimeIsOver() {
    configs.configure("a", POLICY);
    cache.find("a");
    configs.configure("a", OTHER_POLICY);

    nanos.addAndGet(Duration.ofSeconds(5).toNanos());

    assertThat(cache.find("a").orElseThrow().policy()).isEqualTo(OTHER_POLICY);
    assertThat(misses).hasValue(2);
  }

  @Test
  void forgetsOneOrAll() {
    configs.configure("a", POLICY);
    configs.configure("b", POLICY);
    cache.find("a");
    cache.find("b");

    cache.forget("a");
    cache.find("a");
    cache.find("b");
    assertThat(misses).hasValue(3);

    cache.flush();
    cache.find("a");
    cache.find("b");
    assertThat(misses).hasValue(5);
  }

  @Test
  void keepsNothingOfNamesThatDoNotExist() {
    assertThat(cache.find("a")).isEmpty();
    configs.configure("a", POLICY);

    assertThat(cache.find("a")).isPresent();
  }

  @Test
  void keepsABoundedNumber() {
    for (int i = 0; i < 10_001; i++) {
      configs.configure("c" + i, POLICY);
      cache.find("c" + i);
    }
    misses.set(0);

    cache.find("c10000");
    cache.find("c0");

    assertThat(misses).hasValue(1);
  }
}
