package dev.weir.server.verify;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The results of a verification: what was checked, and the breaches found. The first breaches of
 * each invariant are kept and the rest are counted. Not thread-safe.
 */
public final class Findings {
  private static final int MAX_KEPT = 20;

  private final Map<Invariant, Section> sections = new EnumMap<>(Invariant.class);

  /** The results for one invariant. */
  private static final class Section {
    private final Map<String, Long> looked = new LinkedHashMap<>();
    private final List<String> notes = new ArrayList<>();
    private final List<String> kept = new ArrayList<>();
    private long breaches;
    private long open;

    private String verdict() {
      if (breaches > 0) {
        return "BROKEN";
      }
      return open > 0 ? "open" : "holds";
    }
  }

  Findings() {
    for (Invariant invariant : Invariant.values()) {
      sections.put(invariant, new Section());
    }
  }

  /** Counts the things that were checked, such as slots or windows. */
  void looked(Invariant invariant, String things, long count) {
    section(invariant).looked.merge(things, count, Long::sum);
  }

  /**
   * Counts slots that cannot be decided.
   *
   * @param what which slots, and why
   */
  void open(Invariant invariant, long slots, String what) {
    section(invariant).open += slots;
    keep(section(invariant).notes, "not decidable for %,d slots %s".formatted(slots, what));
  }

  void breach(Invariant invariant, String text) {
    Section section = section(invariant);
    section.breaches++;
    keep(section.kept, text);
  }

  /** Returns true if no breach was found. */
  public boolean clean() {
    return sections.values().stream().allMatch(section -> section.breaches == 0);
  }

  public long breaches(Invariant invariant) {
    return section(invariant).breaches;
  }

  /** Returns the number of slots that could not be decided. */
  public long open(Invariant invariant) {
    return section(invariant).open;
  }

  /** Returns how many things of a kind were checked for an invariant. */
  public long lookedAt(Invariant invariant, String things) {
    return section(invariant).looked.getOrDefault(things, 0L);
  }

  /** Returns the first breaches of an invariant, in words. */
  public List<String> firstBreaches(Invariant invariant) {
    return List.copyOf(section(invariant).kept);
  }

  /** Prints a report for humans. */
  public void print(PrintWriter out) {
    sections.forEach(
        (invariant, section) -> {
          out.printf("%d. %-8s %s%n", invariant.number(), section.verdict(), invariant.claim());
          section.looked.forEach((things, count) -> out.printf("     %,d %s%n", count, things));
          section.notes.forEach(note -> out.printf("   ? %s%n", note));
          section.kept.forEach(breach -> out.printf("   ! %s%n", breach));
          if (section.breaches > section.kept.size()) {
            out.printf("   ! and %,d more%n", section.breaches - section.kept.size());
          }
        });
    out.println(summary());
    out.flush();
  }

  private String summary() {
    if (!clean()) {
      return "NOT all of them hold.";
    }
    boolean decided = sections.values().stream().allMatch(section -> section.open == 0);
    return decided ? "All six hold." : "Nothing wrong was found; not all could be decided.";
  }

  @Override
  public String toString() {
    StringWriter text = new StringWriter();
    print(new PrintWriter(text));
    return text.toString();
  }

  private static void keep(List<String> list, String text) {
    if (list.size() < MAX_KEPT) {
      list.add(text);
    }
  }

  private Section section(Invariant invariant) {
    return Objects.requireNonNull(sections.get(invariant));
  }
}
