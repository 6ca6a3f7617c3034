package dev.weir.node.stores.postgresql;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Creates private folders, lists folders and deletes them, which the JDK lacks. */
public final class Folders {
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");

  private Folders() {}

  /** Returns the entries of a folder that match a pattern; none if the folder does not exist. */
  static List<Path> list(Path folder, String pattern) throws IOException {
    List<Path> found = new ArrayList<>();
    if (Files.isDirectory(folder)) {
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, pattern)) {
        entries.forEach(found::add);
      }
    }
    return found;
  }

  /**
   * Creates a folder that only its owner can enter, or closes it to others if it exists: they could
   * read what is in it, or put files there.
   */
  public static void createPrivate(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      Files.createDirectories(folder.getParent());
      Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
    } else if (!Files.getPosixFilePermissions(folder).equals(OWNER_ONLY)) {
      Files.setPosixFilePermissions(folder, OWNER_ONLY);
    }
  }

  /** Deletes a folder with its content, without following links. */
  static void delete(Path folder) throws IOException {
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            // A file that is already gone is fine.
            if (Files.exists(file)) {
              throw e;
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, IOException e)
              throws IOException {
            Files.deleteIfExists(visited);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
