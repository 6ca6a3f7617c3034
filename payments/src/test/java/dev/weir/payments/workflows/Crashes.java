package dev.weir.payments.workflows;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Random;
import java.util.Set;

/**
 * Crashes before or after any step of a part: the step is done or not, and its caller does not
 * learn which. What the caller has in memory is lost, because Temporal runs its activity anew.
 */
final class Crashes {
  /** Thrown in place of the end of a process. */
  static final class Crash extends RuntimeException {
    private static final long serialVersionUID = 1;

    Crash(String where) {
      super(where);
    }
  }

  /** Methods that do nothing. */
  private static final Set<String> SETTINGS =
      Set.of("maxCallTime", "hasLookUp", "close", "toString");

  private final Random random;
  private final double share;
  private int count;

  /**
   * @param share the share of steps that crash
   */
  Crashes(long seed, double share) {
    this.random = new Random(seed);
    this.share = share;
  }

  /** Returns a part whose steps crash now and then. */
  <T> T in(Class<T> type, T part) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              double luck = SETTINGS.contains(method.getName()) ? 1 : luck();
              if (luck < share / 2) {
                throw crash("before " + method.getName());
              }
              Object result;
              try {
                result = method.invoke(part, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
              if (luck < share) {
                throw crash("after " + method.getName());
              }
              return result;
            }));
  }

  private synchronized double luck() {
    return random.nextDouble();
  }

  private synchronized Crash crash(String where) {
    count++;
    return new Crash(where);
  }

  synchronized int count() {
    return count;
  }
}
