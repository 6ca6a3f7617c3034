package dev.weir.torture.stage;

import dev.weir.server.faults.Waiting;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A file system of its own, in memory, which can be full. */
public final class SmallDisk implements AutoCloseable {
  private static final long MAX_BYTES = 4L << 30;
  private static final long MIN_BYTES = 1 << 20;

  private final Path folder;

  private SmallDisk(Path folder) {
    this.folder = folder;
  }

  /** Mounts one, or returns nothing where that is not allowed. */
  static Optional<SmallDisk> mount(Path folder) throws IOException {
    Files.createDirectories(folder);
    boolean isMounted =
        run("mount", "-t", "tmpfs", "-o", "mode=0700,size=" + MAX_BYTES, "weir", folder.toString());
    return isMounted ? Optional.of(new SmallDisk(folder)) : Optional.empty();
  }

  /** Leaves no space beside what is used. */
  public void fill() {
    // Less than what is used is refused, so if something was written meanwhile, once more.
    Waiting.until("a full disk", () -> resize(usedBytes()));
  }

  private long usedBytes() throws IOException {
    FileStore store = Files.getFileStore(folder);
    return Math.max(MIN_BYTES, store.getTotalSpace() - store.getUsableSpace());
  }

  /** Gives the space back. */
  public void free() {
    Waiting.until("space on a disk", () -> resize(MAX_BYTES));
  }

  private boolean resize(long bytes) throws IOException {
    return run("mount", "-o", "remount,size=" + bytes, folder.toString());
  }

  private static boolean run(String... words) throws IOException {
    try {
      Process process =
          new ProcessBuilder(List.of(words))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      Waiting.until(words[0], () -> !process.isAlive());
      return process.exitValue() == 0;
    } catch (IOException e) {
      // There is no such program.
      return false;
    }
  }

  @Override
  public void close() {
    Waiting.until("a disk that is not used", () -> run("umount", folder.toString()));
  }
}
