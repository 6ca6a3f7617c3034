package dev.weir.notifications.broker;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The claim of a broker on its folder, until it is closed or the process ends. Kafka has a lock of
 * its own, but takes it only after it has written to the log of its controller.
 */
final class FolderClaim implements AutoCloseable {
  private final FileChannel channel;

  private FolderClaim(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Claims a folder, which is created if it is missing.
   *
   * @throws IOException if another broker has it, or it cannot be written to
   */
  static FolderClaim of(Path folder) throws IOException {
    Files.createDirectories(folder);
    FileChannel channel =
        FileChannel.open(
            folder.resolve("weir.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      if (channel.tryLock() != null) {
        return new FolderClaim(channel);
      }
    } catch (OverlappingFileLockException e) {
      // Not closed: that would also end the lock of the other broker, which is in this process.
      throw new IOException("%s is in use by another broker of this process".formatted(folder), e);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
    channel.close();
    throw new IOException("%s is in use by the broker of another process".formatted(folder));
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
