package dev.weir.store.surrealdb;

import dev.weir.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A value in a response. Its methods fail with a {@link StoreException} if it is of another type:
 * the response is then not that of the query that was sent, and what was done is unknown.
 */
record Value(@Nullable Object content) {
  boolean isPresent() {
    return content != null;
  }

  long number() {
    return as(Long.class);
  }

  boolean flag() {
    return as(Boolean.class);
  }

  String text() {
    return as(String.class);
  }

  List<Value> items() {
    List<?> items = as(List.class);
    List<Value> values = new ArrayList<>(items.size());
    for (Object item : items) {
      values.add(new Value(item));
    }
    return values;
  }

  /** Returns the numbers of a list. */
  long[] numbers() {
    List<?> items = as(List.class);
    long[] numbers = new long[items.size()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = new Value(items.get(i)).number();
    }
    return numbers;
  }

  /** Returns a time, which SurrealDB writes as seconds and nanoseconds. */
  long timeMicros() {
    long[] parts = numbers();
    return Math.addExact(Math.multiplyExact(parts[0], 1_000_000L), parts[1] / 1_000);
  }

  /** Returns a member of an object, which may be absent. */
  Value get(String name) {
    Map<?, ?> members = as(Map.class);
    return new Value(members.get(name));
  }

  private <T> T as(Class<T> type) {
    if (!type.isInstance(content)) {
      throw new StoreException(
          SurrealDb.STORE,
          StoreException.Outcome.UNKNOWN,
          "SurrealDB's response has %s where %s was expected"
              .formatted(
                  content == null ? "nothing" : content.getClass().getSimpleName(),
                  type.getSimpleName()));
    }
    return type.cast(content);
  }
}
