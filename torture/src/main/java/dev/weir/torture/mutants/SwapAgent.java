package dev.weir.torture.mutants;

import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs inside of a node, where it puts classes in the place of those that are loaded, and back. It
 * comes alone: without other classes of the torture.
 */
public final class SwapAgent implements ClassFileTransformer {
  private static final String SUFFIX = ".class";

  private static @Nullable SwapAgent installed;

  private final Instrumentation instrumentation;

  /** The classes in place, by their names with slashes. */
  private volatile Map<String, byte[]> classes = Map.of();

  private SwapAgent(Instrumentation instrumentation) {
    this.instrumentation = instrumentation;
  }

  /**
   * Called by the JVM.
   *
   * @param folder of the classes that come into place; those of the last call go
   */
  public static void agentmain(String folder, Instrumentation instrumentation)
      throws IOException, UnmodifiableClassException {
    SwapAgent agent = installed;
    if (agent == null) {
      agent = new SwapAgent(instrumentation);
      instrumentation.addTransformer(agent, true);
      installed = agent;
    }
    agent.swap(read(Path.of(folder)));
  }

  private static Map<String, byte[]> read(Path folder) throws IOException {
    Map<String, byte[]> classes = new HashMap<>();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(file -> file.toString().endsWith(SUFFIX)).toList()) {
        String name = folder.relativize(file).toString();
        classes.put(name.substring(0, name.length() - SUFFIX.length()), Files.readAllBytes(file));
      }
    }
    return classes;
  }

  private void swap(Map<String, byte[]> next) throws UnmodifiableClassException {
    Set<String> affected = new HashSet<>(classes.keySet());
    affected.addAll(next.keySet());
    classes = Map.copyOf(next);
    Class<?>[] loaded =
        Stream.of(instrumentation.getAllLoadedClasses())
            .filter(each -> affected.contains(each.getName().replace('.', '/')))
            .toArray(Class<?>[]::new);
    if (loaded.length > 0) {
      instrumentation.retransformClasses(loaded);
    }
  }

  @Override
  public byte @Nullable [] transform(
      @Nullable ClassLoader loader,
      String name,
      @Nullable Class<?> former,
      @Nullable ProtectionDomain domain,
      byte[] bytes) {
    return classes.get(name);
  }
}
