package dev.weir.node.stores.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

final class PostgresqlArchiveTest {
  @TempDir private Path temporary;
  private Path cache;

  @BeforeEach
  void chooseACache() {
    cache = temporary.resolve("cache");
  }

  @Test
  void unpacksProgramsFilesAndLinks() throws Exception {
    Path unpacked = archive("bin/program").unpackedIn(cache);
    assertThat(unpacked.resolve("bin/program")).isExecutable().hasContent("hello");
    assertThat(unpacked.resolve("link")).isSymbolicLink().hasContent("hello");
    assertThat(Files.getPosixFilePermissions(unpacked))
        .isEqualTo(PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** As it is shipped; the name of the folder then comes from the directory of the jar. */
  @Test
  void knowsAnArchiveByItsContentInAJarToo() throws Exception {
    PostgresqlArchive loose = archive("bin/program");
    Path jar = temporary.resolve("archive.jar");
    try (JarOutputStream entries = new JarOutputStream(Files.newOutputStream(jar));
        InputStream content = loose.address().openStream()) {
      entries.putNextEntry(new ZipEntry("postgres.txz"));
      content.transferTo(entries);
    }
    URL inJar = URI.create("jar:" + jar.toUri() + "!/postgres.txz").toURL();
    Path unpacked = new PostgresqlArchive(inJar).unpackedIn(cache);
    assertThat(unpacked.resolve("bin/program")).isExecutable();
    assertThat(loose.unpackedIn(cache)).isEqualTo(unpacked);
    assertThat(archive("bin/another").unpackedIn(cache)).isNotEqualTo(unpacked);
  }

  @Test
  void unpacksOnceForAllWhoAskAtTheSameTime() throws Exception {
    PostgresqlArchive archive = archive("bin/program");
    try (ExecutorService executor = Executors.newFixedThreadPool(8)) {
      Callable<Path> unpack = () -> archive.unpackedIn(cache);
      List<Path> unpacked =
          executor.invokeAll(Collections.nCopies(8, unpack)).stream()
              .map(Future::resultNow)
              .toList();
      assertThat(unpacked).containsOnly(unpacked.getFirst());
    }
    assertThat(Folders.list(cache, "*")).hasSize(1);
  }

  /** Such as by a service that removes temporary files which were not read for some days. */
  @Test
  void unpacksAgainWhatSomeoneHasRemovedAPartOf() throws Exception {
    PostgresqlArchive archive = archive("bin/program");
    for (String lost : List.of("bin/program", "link")) {
      Files.delete(archive.unpackedIn(cache).resolve(lost));
      Path unpacked = archive.unpackedIn(cache);
      assertThat(unpacked.resolve("bin/program")).isExecutable().hasContent("hello");
      assertThat(unpacked.resolve("link")).hasContent("hello");
      assertThat(Folders.list(cache, "*")).containsExactly(unpacked);
    }
  }

  /** A folder may have its name on the disk before its files have their content. */
  @Test
  void unpacksAgainWhatALossOfPowerHasEmptied() throws Exception {
    PostgresqlArchive archive = archive("bin/program");
    Files.write(archive.unpackedIn(cache).resolve("bin/program"), new byte[0]);
    assertThat(archive.unpackedIn(cache).resolve("bin/program")).hasContent("hello");
    try (var files = Files.walk(archive.unpackedIn(cache))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.write(file, new byte[0]);
      }
    }
    assertThat(archive.unpackedIn(cache).resolve("bin/program")).hasContent("hello");
  }

  @Test
  void removesWhatAKilledProcessLeftLongAgo() throws Exception {
    Path abandoned = Files.createDirectories(cache.resolve("partial-1"));
    Path fresh = Files.createDirectory(cache.resolve("partial-2"));
    Files.writeString(abandoned.resolve("file"), "half");
    Files.setLastModifiedTime(abandoned, FileTime.from(Instant.now().minus(Duration.ofDays(1))));
    archive("bin/program").unpackedIn(cache);
    assertThat(abandoned).doesNotExist();
    assertThat(fresh).exists();
  }

  @Test
  void writesNothingOutsideOfItsFolder() throws Exception {
    PostgresqlArchive archive = archive("../../program");
    assertThatThrownBy(() -> archive.unpackedIn(cache))
        .hasMessageContaining("entry outside of the archive");
    assertThat(Folders.list(cache, "*")).isEmpty();
  }

  @Test
  void doesNotUnpackWhereOthersCanWrite() throws Exception {
    Files.createDirectory(cache);
    Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("rwxrwxrwx"));
    PostgresqlArchive archive = archive("bin/program");
    assertThatThrownBy(() -> archive.unpackedIn(cache))
        .hasMessageContaining("other users may write to " + cache);
  }

  @Test
  void prefersTheCacheOfTheUser() {
    assertThat(PostgresqlArchive.caches(Map.of("XDG_CACHE_HOME", "/elsewhere")).getFirst())
        .isEqualTo(Path.of("/elsewhere/weir"));
    assertThat(PostgresqlArchive.caches(Map.of("XDG_CACHE_HOME", "relative")).getFirst())
        .isEqualTo(Path.of(System.getProperty("user.home"), ".cache", "weir"));
  }

  private PostgresqlArchive archive(String program) throws IOException {
    Path file = temporary.resolve("archive.txz");
    try (TarArchiveOutputStream tar =
        new TarArchiveOutputStream(
            new XZOutputStream(Files.newOutputStream(file), new LZMA2Options(0)))) {
      byte[] content = "hello".getBytes(StandardCharsets.UTF_8);
      TarArchiveEntry entry = new TarArchiveEntry(program, true);
      entry.setSize(content.length);
      entry.setMode(0755);
      tar.putArchiveEntry(entry);
      tar.write(content);
      tar.closeArchiveEntry();
      TarArchiveEntry link = new TarArchiveEntry("link", TarArchiveEntry.LF_SYMLINK);
      link.setLinkName(program);
      tar.putArchiveEntry(link);
      tar.closeArchiveEntry();
    }
    return new PostgresqlArchive(file.toUri().toURL());
  }
}
