package dev.weir.torture.stage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The clock of a process, which can be set while it runs, by Debian's package faketime. */
public final class FakeClock {
  private static final Path LIBRARIES = Path.of("/usr/lib");
  private static final String LIBRARY = "faketime/libfaketime.so.1";

  private final Path library;
  private final Path file;

  private FakeClock(Path library, Path file) {
    this.library = library;
    this.file = file;
  }

  /** Returns a clock that is right until it is set, or nothing if the package is not installed. */
  static Optional<FakeClock> in(Path file) throws IOException {
    try (Stream<Path> folders = Files.list(LIBRARIES)) {
      Optional<FakeClock> clock =
          folders
              .map(folder -> folder.resolve(LIBRARY))
              .filter(Files::exists)
              .findFirst()
              .map(library -> new FakeClock(library, file));
      if (clock.isPresent()) {
        clock.get().set(Duration.ZERO);
      }
      return clock;
    }
  }

  /** The variables of a process that goes by it. */
  Map<String, String> environment() {
    return Map.of(
        "LD_PRELOAD", library.toString(),
        "FAKETIME_TIMESTAMP_FILE", file.toString(),
        "FAKETIME_CACHE_DURATION", "1",
        // Or the JVM takes the archive of its classes for one of another jar.
        "NO_FAKE_STAT", "1",
        // What measures spans of time stays right, as on a machine whose clock is set.
        "FAKETIME_DONT_FAKE_MONOTONIC", "1",
        "DONT_FAKE_MONOTONIC", "1",
        // Otherwise no thread of a JVM waits: each wakes up over and over.
        "FAKETIME_FORCE_MONOTONIC_FIX", "0");
  }

  /** Removes what the library leaves of a process that was killed. */
  static void cleanUpAfter(long pid) throws IOException {
    Files.deleteIfExists(Path.of("/dev/shm/faketime_shm_" + pid));
    Files.deleteIfExists(Path.of("/dev/shm/sem.faketime_sem_" + pid));
  }

  /** Sets it ahead, or back if the shift is negative. */
  public void set(Duration shift) throws IOException {
    Files.writeString(file, "%+ds%n".formatted(shift.toSeconds()));
  }
}
