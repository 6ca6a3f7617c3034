package dev.weir.payments.workflows;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Where a process ends on the spot, without any of the steps that usually end one.
 *
 * @param isAfter whether it has done the step then
 * @param method the step
 * @param count the number of times that it comes to the step
 */
record Halt(boolean isAfter, String method, int count) {
  static final int EXIT_CODE = 86;
  static final Halt NEVER = new Halt(false, "-", Integer.MAX_VALUE);

  static Halt before(String method, int count) {
    return new Halt(false, method, count);
  }

  static Halt after(String method, int count) {
    return new Halt(true, method, count);
  }

  static Halt parse(String text) {
    String[] words = text.split(" ", -1);
    return new Halt(words[0].equals("after"), words[1], Integer.parseInt(words[2]));
  }

  /** Returns a text that {@link #parse} reads. */
  @Override
  public String toString() {
    return (isAfter ? "after " : "before ") + method + " " + count;
  }

  /** Returns a part that ends this process at the step. */
  <T> T in(Class<T> type, T part) {
    AtomicInteger steps = new AtomicInteger();
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, called, arguments) -> {
              boolean isHere = called.getName().equals(method) && steps.incrementAndGet() == count;
              if (isHere && !isAfter) {
                Runtime.getRuntime().halt(EXIT_CODE);
              }
              Object result;
              try {
                result = called.invoke(part, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
              if (isHere) {
                Runtime.getRuntime().halt(EXIT_CODE);
              }
              return result;
            }));
  }
}
