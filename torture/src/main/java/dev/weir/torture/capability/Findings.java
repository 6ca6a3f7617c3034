package dev.weir.torture.capability;

import dev.weir.torture.history.Exchange;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a check has looked at, and what it has found. */
public final class Findings {
  private static final int MAX_KEPT = 3;

  private final Set<Promise> selected;
  private final Map<Promise, Long> looked = new EnumMap<>(Promise.class);
  private final Map<Promise, List<Violation>> violations = new EnumMap<>(Promise.class);

  /** Creates findings about some promises; those about others are dropped. */
  public Findings(Set<Promise> selected) {
    this.selected = selected;
  }

  /** Counts the things that were compared with a promise. */
  public void looked(Promise promise, long things) {
    if (selected.contains(promise)) {
      looked.merge(promise, things, Long::sum);
    }
  }

  public void broken(Promise promise, String text, Collection<Exchange> witness) {
    if (selected.contains(promise)) {
      violations
          .computeIfAbsent(promise, any -> new ArrayList<>())
          .add(new Violation(promise, text, List.copyOf(witness)));
    }
  }

  public boolean isClean() {
    return violations.isEmpty();
  }

  public Map<Promise, Long> looked() {
    return looked;
  }

  /** The first violations of each promise, those with the smallest witness first. */
  public List<Violation> violations() {
    return violations.values().stream()
        .flatMap(
            each ->
                each.stream()
                    .sorted((a, b) -> Integer.compare(a.witness().size(), b.witness().size()))
                    .limit(MAX_KEPT))
        .toList();
  }
}
