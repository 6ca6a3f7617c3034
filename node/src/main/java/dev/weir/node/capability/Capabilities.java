package dev.weir.node.capability;

import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Setting;
import dev.weir.node.settings.Settings;
import dev.weir.node.stores.StoreSetting;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/** What this program can do: the capabilities on its class path. */
public final class Capabilities {
  private static final List<Capability> ALL =
      ServiceLoader.load(Capability.class, Capabilities.class.getClassLoader()).stream()
          .map(ServiceLoader.Provider::get)
          .sorted(Comparator.comparingInt(Capability::order))
          .toList();

  private Capabilities() {}

  /** Returns them in the order in which they are opened. */
  public static List<Capability> all() {
    return ALL;
  }

  /**
   * Returns the one that gives parts of this type.
   *
   * @throws IllegalStateException if there is none on the class path
   */
  public static Capability giving(Class<?> type) {
    return ALL.stream()
        .filter(capability -> capability.gives().contains(type))
        .findFirst()
        .orElseThrow(
            () -> new IllegalStateException("no capability here gives a " + type.getName()));
  }

  /** Returns all settings. */
  public static List<Setting> settings() {
    return Stream.concat(
            Stream.<Setting[]>of(ServerSetting.values(), StoreSetting.values()).flatMap(Stream::of),
            ALL.stream().flatMap(capability -> capability.settings().stream()))
        .toList();
  }

  /**
   * Returns the combined settings of these sources.
   *
   * @param file a properties file, if there is one
   */
  public static Settings read(
      Map<Setting, String> commandLine, Map<String, String> environment, Optional<Path> file) {
    return Settings.of(settings(), commandLine, environment, file);
  }
}
