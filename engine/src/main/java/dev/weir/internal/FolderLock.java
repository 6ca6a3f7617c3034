package dev.weir.internal;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;

/**
 * The claim of this process on a data folder: two files in it, one locked by the operating system
 * while the process lives, the other naming the owner.
 *
 * <p>The owner is written beside the lock and read before the lock file is opened, because POSIX
 * drops all locks of a process on a file as soon as the process closes any channel to that file. A
 * second, refused claim inside one JVM would otherwise open the folder to other processes.
 */
public final class FolderLock implements AutoCloseable {
  /** Thrown if a folder is claimed already. */
  public static final class InUseException extends IOException {
    private static final long serialVersionUID = 1L;

    private InUseException(String message) {
      super(message);
    }
  }

  private final FileChannel channel;
  private final Path ownerFile;

  private FolderLock(FileChannel channel, Path ownerFile) {
    this.channel = channel;
    this.ownerFile = ownerFile;
  }

  /**
   * Claims the folder, which must exist.
   *
   * @throws InUseException if this or another process holds it
   */
  public static FolderLock claim(Path folder) throws IOException {
    synchronized (FolderLock.class) {
      Path ownerFile = folder.resolve("owner");
      String owner = Files.exists(ownerFile) ? Files.readString(ownerFile) : "";
      if (owner.equals(thisProcess())) {
        throw inUse(folder, owner);
      }
      FileChannel channel =
          FileChannel.open(
              folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      try {
        FileLock lock = channel.tryLock();
        if (lock == null) {
          throw inUse(folder, owner);
        }
        Files.writeString(ownerFile, thisProcess());
        return new FolderLock(channel, ownerFile);
      } catch (IOException | RuntimeException e) {
        channel.close();
        throw e;
      }
    }
  }

  /** Releases the folder. */
  @Override
  public void close() throws IOException {
    synchronized (FolderLock.class) {
      if (channel.isOpen()) {
        Files.deleteIfExists(ownerFile);
        channel.close();
      }
    }
  }

  // The start time distinguishes us from an earlier process with the same id, which is common in
  // containers.
  private static String thisProcess() {
    ProcessHandle self = ProcessHandle.current();
    return self.pid() + " since " + self.info().startInstant().orElse(Instant.EPOCH);
  }

  private static InUseException inUse(Path folder, String owner) {
    return new InUseException(
        "the data folder " + folder + " is in use by a running Weir (process " + owner + ")");
  }
}
