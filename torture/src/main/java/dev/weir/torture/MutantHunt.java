package dev.weir.torture;

import dev.weir.torture.capability.Capability;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.capability.Violation;
import dev.weir.torture.mutants.Mutant;
import dev.weir.torture.stage.Stage;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Tortures builds with a planted fault, and measures how soon each is found. */
final class MutantHunt {
  /** Of a mutant that lets something never end; all else has ended by far. */
  private static final Duration MAX_WAIT = Duration.ofMinutes(3);

  private final Path root;
  private final Path jar;
  private final Duration round;
  private final PrintWriter out;

  /** How a mutant was found. */
  private record Row(Mutant mutant, String found, Duration after) {}

  MutantHunt(Path root, Path jar, Duration round, PrintWriter out) {
    this.root = root;
    this.jar = jar;
    this.round = round;
    this.out = out;
  }

  /** Returns true if all mutants were found in time. */
  boolean run(List<Mutant> mutants, long seed, Duration time) throws Exception {
    List<Row> rows = new ArrayList<>();
    List<Mutant> left = new ArrayList<>(mutants);
    for (SwapHunt.Tried tried :
        new SwapHunt(
                root,
                jar,
                plan(round, new Trouble.None()),
                mutant -> promisesOfTheSamePart(mutant.promise()),
                out)
            .run(mutants, seed)) {
      if (!tried.outcome().findings().isClean()) {
        rows.add(new Row(tried.mutant(), promises(tried.outcome()), tried.time()));
        left.remove(tried.mutant());
      }
    }
    print(rows);
    for (Mutant mutant : left) {
      out.printf("%nMutant %s%n", mutant.name());
      rows.add(huntOrFail(mutant, seed, time));
      // The table so far, for those who do not wait for all.
      print(List.of(rows.getLast()));
    }
    print(rows);
    return rows.stream().noneMatch(row -> row.found().isEmpty());
  }

  private void print(List<Row> rows) {
    out.printf("%n%-34s %-8s %-14s %s%n", "mutant", "promise", "found by", "after");
    for (Row row : rows) {
      out.printf(
          "%-34s %-8s %-14s %d s%n",
          row.mutant().name(),
          row.mutant().promise(),
          row.found().isEmpty() ? "NOT FOUND" : row.found(),
          row.after().toSeconds());
    }
    out.flush();
  }

  /** A mutant that nothing can be tried with keeps no other from being tried. */
  private Row huntOrFail(Mutant mutant, long seed, Duration time) throws IOException {
    try {
      return hunt(mutant, seed, time);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } catch (IOException e) {
      throw e;
    } catch (Exception | AssertionError e) {
      out.printf("%s could not be tried: %s%n", mutant.name(), e);
      return new Row(mutant, "", Duration.ZERO);
    }
  }

  private Row hunt(Mutant mutant, long seed, Duration time) throws Exception {
    Path folder = root.resolve("target/torture/mutants/" + mutant.name());
    Path classes = mutant.build(root, jar, folder);
    Hunt hunt =
        new Hunt(
            new Stage.Settings(folder, jar, Optional.of(classes), Optional.empty(), mutant.store()),
            promisesOfTheSamePart(mutant.promise()),
            plans(mutant));
    long beginNanos = System.nanoTime();
    Optional<Torture.Outcome> found = hunt.run(seed, time, new Report(out, mutant.store()));
    return new Row(
        mutant,
        found.map(MutantHunt::promises).orElse(""),
        Duration.ofNanos(System.nanoTime() - beginNanos));
  }

  /** Most need no fault; those that need some name them, and then others are only in the way. */
  private List<Plan> plans(Mutant mutant) {
    return mutant.faults().isEmpty()
        ? List.of(calm(), plan(round, new Trouble.All()))
        : List.of(plan(round, new Trouble.Only(mutant.faults(), mutant.ways())));
  }

  private Plan calm() {
    return plan(round.dividedBy(2), new Trouble.None());
  }

  private static Plan plan(Duration time, Trouble trouble) {
    return new Plan(time, Plan.CALLERS, trouble, MAX_WAIT);
  }

  private static String promises(Torture.Outcome outcome) {
    return outcome.findings().violations().stream()
        .map(Violation::promise)
        .distinct()
        .map(Promise::name)
        .collect(Collectors.joining(" "));
  }

  private static Set<Promise> promisesOfTheSamePart(Promise promise) {
    return Torture.CAPABILITIES.stream()
        .map(Capability::promises)
        .filter(promises -> promises.contains(promise))
        .findFirst()
        .orElseGet(() -> EnumSet.of(promise));
  }
}
