package dev.weir.store.jdbc.limits;

import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;

/** A limit as the numeric parameters of the functions. */
record LimitParameters(int kind, long max, long size, long refill) {
  static LimitParameters of(Limit limit) {
    return switch (limit) {
      case FixedWindow window ->
          new LimitParameters(
              switch (window.start()) {
                case FIRST_USE -> 1;
                case EPOCH -> 2;
              },
              window.limit(),
              window.windowMicros(),
              0);
      case SlidingWindow window -> new LimitParameters(3, window.limit(), window.windowMicros(), 0);
      case TokenBucket bucket ->
          new LimitParameters(4, bucket.capacity(), bucket.refillMicros(), bucket.refillTokens());
    };
  }
}
