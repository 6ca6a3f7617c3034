package dev.weir.torture;

import dev.weir.torture.capability.Promise;
import dev.weir.torture.mutants.Mutant;
import dev.weir.torture.stage.Stage;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command line of the torture. */
@Command(
    name = "torture",
    description =
        "Torture three nodes, a PostgreSQL, a Redis and a Kafka on this machine: load of every kind,"
            + " faults by a seed, and a check of each promise of the documents.",
    mixinStandardHelpOptions = true,
    footer =
        "Exit code 0: all promises kept. 1: a promise is broken. 2: it could not be found out.")
public final class Main implements Callable<Integer> {
  private static final List<String> DEFAULT_STORES = List.of("postgresql", "redis");
  private static final Duration ROUND = Duration.ofSeconds(40);

  /** Most are found in any round, so more of them are better than long ones. */
  private static final Duration ROUND_OF_MUTANTS = Duration.ofSeconds(15);

  private static final int MAX_SEED = 1_000_000;

  @Spec private CommandSpec spec;

  @Option(names = "--minutes", defaultValue = "4", description = "How long (${DEFAULT-VALUE}).")
  private double minutes;

  @Option(
      names = "--seed",
      description = "Of the first round; the next rounds have the next seeds. Random by default.")
  private Optional<Long> seed = Optional.empty();

  @Option(
      names = "--only",
      split = ",",
      description =
          "Promises to check, such as S3,L1, or capabilities, such as slots. The others get no load.")
  private List<String> only = List.of();

  @Option(
      names = "--store",
      split = ",",
      description =
          "Where limits are counted, and what its store is: postgresql, redis, redis-sentinel,"
              + " redis-cluster, postgresql-standby, postgresql-restored, postgresql-full, or all,"
              + " one after the other. By default the first two.")
  private List<String> stores = DEFAULT_STORES;

  @Option(
      names = "--beside",
      paramLabel = "JAR",
      description =
          "weir.jar of another version, with its lib beside it: nodes of both run on one database,"
              + " and are stopped and started with the other one.")
  private Optional<Path> otherJar = Optional.empty();

  @Option(
      names = "--round",
      description =
          "Seconds of a round, after which its history is checked (40; 15 with --mutants).")
  private Optional<Integer> roundSeconds = Optional.empty();

  @Option(
      names = "--mutants",
      arity = "0..*",
      description =
          "Torture builds with a planted fault, all or those of these names, each until it is found"
              + " or for the given minutes.")
  private @Nullable List<String> mutants;

  @Option(names = "--root", hidden = true, description = "The sources.")
  private Path root = Path.of(".");

  public static void main(String... arguments) {
    System.exit(new CommandLine(new Main()).setExitCodeExceptionMapper(e -> 2).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    long first = seed.orElseGet(() -> ThreadLocalRandom.current().nextLong(1, MAX_SEED));
    Path home = root.toAbsolutePath().normalize();
    Path jar = home.resolve("server/target/weir.jar");
    if (mutants != null) {
      return new MutantHunt(home, jar, round(ROUND_OF_MUTANTS), out)
              .run(chosen(home, mutants), first, Duration.ofSeconds((long) (minutes * 60)))
          ? 0
          : 1;
    }
    Path folder = home.resolve("target/torture/" + first);
    List<String> chosen = chosenStores();
    Duration each = Duration.ofMillis((long) (minutes * 60_000 / chosen.size()));
    for (String limitsStore : chosen) {
      Hunt hunt =
          new Hunt(
              new Stage.Settings(
                  folder.resolve(limitsStore), jar, Optional.empty(), otherJar, limitsStore),
              selected(),
              List.of(Plan.of(round(ROUND))));
      if (hunt.run(first, each, new Report(out, limitsStore)).isPresent()) {
        return 1;
      }
    }
    return 0;
  }

  private Duration round(Duration usual) {
    return roundSeconds.map(Duration::ofSeconds).orElse(usual);
  }

  private List<String> chosenStores() {
    if (stores.equals(List.of("all"))) {
      return Stage.STORES;
    }
    for (String store : stores) {
      if (!Stage.STORES.contains(store)) {
        throw new CommandLine.ParameterException(
            spec.commandLine(), "--store is one of " + Stage.STORES + ", or all");
      }
    }
    return stores;
  }

  private List<Mutant> chosen(Path home, List<String> names) throws IOException {
    List<Mutant> all = Mutant.all(home);
    for (String name : names) {
      if (all.stream().noneMatch(mutant -> mutant.name().equals(name))) {
        throw new CommandLine.ParameterException(
            spec.commandLine(),
            "there is no mutant "
                + name
                + ", only "
                + all.stream().map(Mutant::name).collect(Collectors.joining(", ")));
      }
    }
    return all.stream().filter(mutant -> names.isEmpty() || names.contains(mutant.name())).toList();
  }

  private Set<Promise> selected() {
    Set<Promise> selected = EnumSet.noneOf(Promise.class);
    for (Promise promise : Promise.values()) {
      if (only.isEmpty() || only.stream().anyMatch(promise::isMeantBy)) {
        selected.add(promise);
      }
    }
    if (selected.isEmpty()) {
      throw new CommandLine.ParameterException(
          spec.commandLine(), "--only names no promise: " + only);
    }
    return selected;
  }
}
