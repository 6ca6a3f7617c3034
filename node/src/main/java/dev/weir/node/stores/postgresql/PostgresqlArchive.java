package dev.weir.node.stores.postgresql;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import java.util.zip.ZipEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tukaani.xz.XZInputStream;

/**
 * The archive of PostgreSQL programs on the class path.
 *
 * @param address the URL of the archive
 */
record PostgresqlArchive(URL address) {
  private static final Logger log = LoggerFactory.getLogger(PostgresqlArchive.class);
  private static final Duration ABANDONED_AFTER = Duration.ofHours(1);
  private static final int OWNER_EXECUTES = 0100;

  /** Returns the archive for this machine. */
  static PostgresqlArchive bundled() {
    String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String processor = System.getProperty("os.arch");
    String name =
        "postgres-%s-%s.txz"
            .formatted(
                system.startsWith("mac") ? "darwin" : system,
                processor.equals("amd64") || processor.equals("x86_64")
                    ? "x86_64"
                    : processor.equals("aarch64") ? "arm_64" : processor);
    URL address = PostgresqlArchive.class.getResource("/" + name);
    if (address == null) {
      throw new EmbeddedDatabase.StartException(
          "no PostgreSQL is bundled for this machine (" + name + "); name a server with --db");
    }
    return new PostgresqlArchive(address);
  }

  /**
   * Returns the folders to unpack into, best first: the user's cache, then the folder for temporary
   * files, in case there is no home, it is not writable, or programs may not run from it.
   */
  static List<Path> caches(Map<String, String> environment) {
    List<Path> caches = new ArrayList<>();
    Path configured = Path.of(environment.getOrDefault("XDG_CACHE_HOME", ""));
    Path home = Path.of(System.getProperty("user.home"));
    if (configured.isAbsolute()) {
      caches.add(configured.resolve("weir"));
    } else if (home.isAbsolute()) {
      caches.add(home.resolve(".cache").resolve("weir"));
    }
    caches.add(Path.of(System.getProperty("java.io.tmpdir"), "weir-" + safeUserName()));
    return caches;
  }

  /**
   * Returns the folder below {@code cache} with the content of this archive, and unpacks it if no
   * process has done so before, or a part of it was lost since. The folder is named after the
   * archive's checksum and appears complete or not at all, so any number of processes may call this
   * concurrently.
   */
  Path unpackedIn(Path cache) throws IOException {
    Path unpacked = cache.resolve("postgresql-" + checksum());
    createTrusted(cache);
    boolean isThere = Files.exists(unpacked);
    if (isThere && UnpackedFiles.areIn(unpacked)) {
      return unpacked;
    }
    removeAbandoned(cache);
    log.info("Unpacking PostgreSQL to {}", unpacked);
    Path partial = Files.createTempDirectory(cache, "partial-");
    try {
      unpackTo(partial);
      UnpackedFiles.list(partial);
      if (isThere) {
        removeIncomplete(cache, unpacked);
      }
      Files.setPosixFilePermissions(partial, PosixFilePermissions.fromString("rwxr-xr-x"));
      Files.move(partial, unpacked, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      Folders.delete(partial);
      // Another process was faster, which is just as good.
      if (!Files.exists(unpacked)) {
        throw e;
      }
    }
    return unpacked;
  }

  // Out of the way at once, because a deletion takes its time. What is lost is not needed by the
  // programs that run from there, or they have failed already.
  private static void removeIncomplete(Path cache, Path unpacked) throws IOException {
    log.warn("{} lacks a part of PostgreSQL, which is unpacked again", unpacked);
    Path former = Files.createTempDirectory(cache, "partial-");
    try {
      Files.move(unpacked, former, StandardCopyOption.ATOMIC_MOVE);
    } catch (NoSuchFileException e) {
      log.debug("{} was taken away by another process at this moment", unpacked);
    }
    Folders.delete(former);
  }

  /** Returns what tells this archive from those of other versions of Weir. */
  private String checksum() throws IOException {
    URLConnection connection = address.openConnection();
    if (connection instanceof JarURLConnection inJar) {
      // Read from the directory of the jar: each start asks, and the archive is large.
      try (JarFile jar = jar(inJar)) {
        ZipEntry entry = jar.getEntry(inJar.getEntryName());
        return checksum(entry.getCrc(), entry.getSize());
      }
    }
    try (CheckedInputStream content =
        new CheckedInputStream(connection.getInputStream(), new CRC32())) {
      long bytes = content.transferTo(OutputStream.nullOutputStream());
      return checksum(content.getChecksum().getValue(), bytes);
    }
  }

  /** Returns a jar that may be closed, because no one else uses it. */
  private static JarFile jar(JarURLConnection connection) throws IOException {
    connection.setUseCaches(false);
    return connection.getJarFile();
  }

  private static String checksum(long crc, long bytes) {
    return "%08x-%d".formatted(crc, bytes);
  }

  // The folder for temporary files is shared: another user must not choose what we execute.
  private static void createTrusted(Path cache) throws IOException {
    Files.createDirectories(cache.getParent());
    if (!Files.exists(cache)) {
      try {
        Files.createDirectory(cache);
      } catch (FileAlreadyExistsException e) {
        log.debug("{} was made by another process at this moment", cache);
      }
    }
    Set<PosixFilePermission> writers =
        EnumSet.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);
    writers.retainAll(Files.getPosixFilePermissions(cache));
    if (PostgresqlAccount.ownerId(cache) != PostgresqlAccount.userId() || !writers.isEmpty()) {
      throw new IOException("other users may write to " + cache);
    }
  }

  private static void removeAbandoned(Path cache) throws IOException {
    Instant abandoned = Instant.now().minus(ABANDONED_AFTER);
    for (Path partial : Folders.list(cache, "partial-*")) {
      try {
        if (Files.getLastModifiedTime(partial).toInstant().isBefore(abandoned)) {
          Folders.delete(partial);
        }
      } catch (NoSuchFileException e) {
        log.debug("{} was finished by another process at this moment", partial);
      }
    }
  }

  private void unpackTo(Path target) throws IOException {
    try (InputStream packed = new BufferedInputStream(address.openStream());
        TarArchiveInputStream tar = new TarArchiveInputStream(new XZInputStream(packed))) {
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        Path path = target.resolve(entry.getName()).normalize();
        if (!path.startsWith(target)) {
          throw new IOException("entry outside of the archive: " + entry.getName());
        }
        Files.createDirectories(entry.isDirectory() ? path : path.getParent());
        if (entry.isSymbolicLink()) {
          Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
        } else if (entry.isFile()) {
          Files.copy(tar, path);
          boolean program = (entry.getMode() & OWNER_EXECUTES) != 0;
          Files.setPosixFilePermissions(
              path, PosixFilePermissions.fromString(program ? "rwxr-xr-x" : "rw-r--r--"));
        }
      }
    }
  }

  private static String safeUserName() {
    return System.getProperty("user.name").replaceAll("[^A-Za-z0-9._-]", "_");
  }
}
