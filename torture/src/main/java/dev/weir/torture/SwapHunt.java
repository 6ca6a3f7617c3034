package dev.weir.torture;

import dev.weir.torture.capability.Promise;
import dev.weir.torture.mutants.Mutant;
import dev.weir.torture.mutants.Swap;
import dev.weir.torture.stage.Folders;
import dev.weir.torture.stage.Node;
import dev.weir.torture.stage.Stage;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Plays one round without faults with each of several mutants, on nodes that go on to run: the
 * classes of one mutant after the other are put in place. Starting nodes takes longer than a round.
 */
final class SwapHunt {
  private final Path folder;
  private final Path root;
  private final Path jar;
  private final Plan plan;
  private final Function<Mutant, Set<Promise>> promises;
  private final PrintWriter out;

  /** A round with a mutant in place. */
  record Tried(Mutant mutant, Torture.Outcome outcome, Duration time) {}

  /**
   * @param promises which are checked of a mutant, and whose load there is
   */
  SwapHunt(
      Path root, Path jar, Plan plan, Function<Mutant, Set<Promise>> promises, PrintWriter out) {
    this.folder = root.resolve("target/torture/mutants/swapped");
    this.root = root;
    this.jar = jar;
    this.plan = plan;
    this.promises = promises;
    this.out = out;
  }

  /** Returns what was tried; the others need nodes of their own. */
  List<Tried> run(List<Mutant> mutants, long seed) throws Exception {
    Map<String, Map<Mutant, Path>> byStore = new LinkedHashMap<>();
    for (Mutant mutant : mutants) {
      Path classes = mutant.build(root, jar, folder.resolve(mutant.name()));
      if (mutant.faults().isEmpty() && Swap.isPossible(classes)) {
        byStore.computeIfAbsent(mutant.store(), any -> new LinkedHashMap<>()).put(mutant, classes);
      }
    }
    List<Tried> tried = new ArrayList<>();
    for (Map.Entry<String, Map<Mutant, Path>> group : byStore.entrySet()) {
      tried.addAll(run(group.getKey(), group.getValue(), seed));
    }
    return tried;
  }

  private List<Tried> run(String store, Map<Mutant, Path> mutants, long seed) throws Exception {
    List<Tried> tried = new ArrayList<>();
    Path data = Files.createTempDirectory("weir-torture");
    Stage.Settings settings =
        new Stage.Settings(folder, jar, Optional.empty(), Optional.empty(), store);
    Set<Promise> all =
        mutants.keySet().stream()
            .flatMap(mutant -> promises.apply(mutant).stream())
            .collect(Collectors.toSet());
    Stage stage = Stage.start(settings, data, Hunt.parts(all));
    try {
      Report report = new Report(out, store);
      Swap swap = new Swap(folder);
      List<Long> pids = stage.nodes().stream().map(Node::pid).toList();
      for (Map.Entry<Mutant, Path> mutant : mutants.entrySet()) {
        out.printf("%nMutant %s, in place of running classes%n", mutant.getKey().name());
        long beginNanos = System.nanoTime();
        if (!swap.in(pids, mutant.getValue())) {
          out.println("It needs nodes of its own.");
          continue;
        }
        Torture.Outcome outcome =
            new Torture(stage, folder, promises.apply(mutant.getKey()))
                .round(seed + tried.size(), plan);
        report.print(outcome);
        swap.out(pids);
        Duration time = Duration.ofNanos(System.nanoTime() - beginNanos);
        tried.add(new Tried(mutant.getKey(), outcome, time));
        out.printf(
            "%s: %s after %d s%n",
            mutant.getKey().name(),
            outcome.findings().isClean() ? "not found" : "found",
            time.toSeconds());
        out.flush();
      }
      // What was found must have been of the mutants: without one, these nodes keep all promises.
      Torture.Outcome without = new Torture(stage, folder, all).round(seed + tried.size(), plan);
      report.print(without);
      if (!without.findings().isClean()) {
        out.println("Promises are broken without a mutant too, so none of these counts.");
        tried.clear();
      }
    } catch (IllegalStateException | AssertionError e) {
      // What is left needs nodes of its own.
      out.printf("These nodes are of no more use: %s%n", e);
    } finally {
      stage.close();
      Folders.delete(data);
    }
    return tried;
  }
}
