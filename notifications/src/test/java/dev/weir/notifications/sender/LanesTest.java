package dev.weir.notifications.sender;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

final class LanesTest {
  private record Item(int key, int number) {}

  @Property(tries = 200)
  void itemsOfAKeyAreInOrderAndOneAtATime(
      @ForAll @Size(max = 200) List<@IntRange(min = 0, max = 5) Integer> keys)
      throws InterruptedException {
    Map<Integer, List<Integer>> seen = new ConcurrentHashMap<>();
    Map<Integer, AtomicInteger> active = new ConcurrentHashMap<>();
    CountDownLatch done = new CountDownLatch(keys.size());
    Lanes<Integer, Item> lanes =
        new Lanes<>(
            item -> {
              AtomicInteger ofKey = active.computeIfAbsent(item.key(), any -> new AtomicInteger());
              if (ofKey.incrementAndGet() == 1) {
                seen.computeIfAbsent(item.key(), any -> new ArrayList<>()).add(item.number());
              }
              // Lets other lanes run, and another item of this key if it were allowed to.
              LockSupport.parkNanos(1);
              ofKey.decrementAndGet();
              done.countDown();
            });
    for (int i = 0; i < keys.size(); i++) {
      lanes.add(keys.get(i), new Item(keys.get(i), i));
    }
    assertThat(done.await(2, TimeUnit.MINUTES)).isTrue();
    for (int key = 0; key <= 5; key++) {
      List<Integer> expected = new ArrayList<>();
      for (int i = 0; i < keys.size(); i++) {
        if (keys.get(i) == key) {
          expected.add(i);
        }
      }
      assertThat(seen.getOrDefault(key, List.of())).isEqualTo(expected);
    }
  }

  @Test
  void keysDoNotWaitForEachOther() throws InterruptedException {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch others = new CountDownLatch(50);
    Lanes<Integer, Integer> lanes =
        new Lanes<>(
            key -> {
              if (key == 0) {
                awaitQuietly(release);
              } else {
                others.countDown();
              }
            });
    for (int key = 0; key <= 50; key++) {
      lanes.add(key, key);
    }
    assertThat(others.await(2, TimeUnit.MINUTES)).isTrue();
    release.countDown();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
