package dev.weir.server.faults;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** The programs of this machine, which tests use as real peers. */
public final class Programs {
  /** Where Debian installs nginx; it is not on every user's path. */
  private static final String SYSTEM = "/usr/sbin";

  private Programs() {}

  public static Optional<Path> find(String name) {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return Stream.concat(Stream.of(path.split(File.pathSeparator, -1)), Stream.of(SYSTEM))
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  public static boolean isInstalled(String name) {
    return find(name).isPresent();
  }
}
