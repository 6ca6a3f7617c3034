package dev.weir.node.stores.postgresql;

import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of the embedded PostgreSQL in a data folder: {@code postgresql/} with the database
 * itself, and {@code password}, which only the owner can read.
 *
 * @param folder PostgreSQL's data directory
 * @param password the password of the only database user
 */
record PostgresqlCluster(Path folder, String password) {
  static final String USER = "weir";

  private static final Logger log = LoggerFactory.getLogger(PostgresqlCluster.class);
  private static final Duration CREATION_BOUND = Duration.ofMinutes(2);
  private static final Duration LOG_KEPT = Duration.ofDays(6);
  private static final long LOG_KEPT_BYTES = 16 << 20;
  private static final int PASSWORD_BYTES = 24;
  private static final int LINES_SHOWN = 8;
  private static final int LOG_SHOWN_BYTES = 8_192;

  /** Opens the database files in a data folder, which must be locked; creates them if absent. */
  static PostgresqlCluster open(Path dataFolder, PostgresqlPrograms programs) throws IOException {
    PostgresqlAccount account = programs.account();
    account.passThrough(dataFolder);
    Path passwordFile = dataFolder.resolve("password");
    Path folder = dataFolder.resolve("postgresql");
    removeUnfinished(dataFolder);
    if (!Files.exists(folder)) {
      writePassword(passwordFile);
      account.own(passwordFile);
      create(folder, passwordFile, programs);
    }
    refuseOtherVersion(folder, programs);
    account.own(folder);
    removeOldLogs(folder);
    return new PostgresqlCluster(folder, Files.readString(passwordFile).strip());
  }

  /** Writes the configuration for the next start of the server. */
  void configure(int port, PostgresqlAccount account) throws IOException {
    Path settings = folder.resolve("postgresql.conf");
    Files.writeString(settings, SETTINGS + "port = " + port + "\n");
    account.own(settings);
  }

  /** Returns the end of the server's own log, for error messages. */
  String lastLogLines() {
    Path current = folder.resolve("current_logfiles");
    try {
      if (!Files.exists(current)) {
        return "";
      }
      String name = Files.readString(current).strip().replaceFirst("^stderr ", "");
      return lastLines(end(folder.resolve(name)));
    } catch (IOException e) {
      return "its log cannot be read: " + e;
    }
  }

  /** Returns the end of a file, which may be larger than the memory. */
  private static String end(Path file) throws IOException {
    try (SeekableByteChannel channel = Files.newByteChannel(file)) {
      channel.position(Math.max(0, channel.size() - LOG_SHOWN_BYTES));
      return new String(
          Channels.newInputStream(channel).readNBytes(LOG_SHOWN_BYTES), StandardCharsets.UTF_8);
    }
  }

  static String lastLines(String text) {
    List<String> lines = text.lines().toList();
    return String.join(" | ", lines.subList(Math.max(0, lines.size() - LINES_SHOWN), lines.size()));
  }

  // Created under another name and renamed when complete: a folder with the final name is whole.
  private static void create(Path folder, Path passwordFile, PostgresqlPrograms programs)
      throws IOException {
    log.info("Creating a database in {}", folder);
    Path partial = Files.createTempDirectory(folder.getParent(), "partial-");
    programs.account().own(partial);
    Command.Finished creation =
        Command.run(
            programs.words(
                "initdb",
                "--pgdata=" + partial,
                "--username=" + USER,
                "--pwfile=" + passwordFile,
                "--auth-host=scram-sha-256",
                "--auth-local=reject",
                // More rounds make it slower to guess a password, and to connect. 24 random bytes
                // cannot be guessed.
                "--set=scram_iterations=1",
                // Uses the collation built into PostgreSQL: an upgrade of the operating system
                // cannot change the sort order of text and so corrupt indexes.
                "--encoding=UTF8",
                "--locale=C",
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8",
                "--data-checksums",
                "--no-instructions"),
            CREATION_BOUND);
    if (!creation.succeeded()) {
      throw new EmbeddedDatabase.StartException(
          "cannot create a database in " + folder + ": " + lastLines(creation.output()));
    }
    Files.move(partial, folder, StandardCopyOption.ATOMIC_MOVE);
  }

  // An initdb whose Weir was killed ends at its next line of output, which may be right now.
  private static void removeUnfinished(Path dataFolder) throws IOException {
    for (Path partial : Folders.list(dataFolder, "partial-*")) {
      try {
        Folders.delete(partial);
        log.info("Removed {}, a database whose creation was cut short", partial);
      } catch (IOException e) {
        log.warn("Cannot remove {} yet, the next start will try again", partial, e);
      }
    }
  }

  private static void writePassword(Path file) throws IOException {
    byte[] random = new byte[PASSWORD_BYTES];
    new SecureRandom().nextBytes(random);
    Files.deleteIfExists(file);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(
        file,
        Base64.getUrlEncoder().withoutPadding().encodeToString(random) + "\n",
        StandardOpenOption.DSYNC,
        StandardOpenOption.WRITE);
  }

  private static void refuseOtherVersion(Path folder, PostgresqlPrograms programs)
      throws IOException {
    Path versionFile = folder.resolve("PG_VERSION");
    if (!Files.exists(versionFile)) {
      throw new EmbeddedDatabase.StartException(folder + " holds no PostgreSQL database");
    }
    String made = Files.readString(versionFile).strip();
    if (!made.equals(programs.majorVersion())) {
      throw new EmbeddedDatabase.StartException(
          ("the database in %s was made by PostgreSQL %s and this Weir brings PostgreSQL %s;"
                  + " choose another data folder, or move the data by pg_dump")
              .formatted(folder, made, programs.version()));
    }
  }

  // PostgreSQL truncates a weekday's log only if it is running at midnight.
  private static void removeOldLogs(Path folder) throws IOException {
    Instant old = Instant.now().minus(LOG_KEPT);
    for (Path file : Folders.list(folder.resolve("log"), "*.log")) {
      if (Files.size(file) > LOG_KEPT_BYTES
          || Files.getLastModifiedTime(file).toInstant().isBefore(old)) {
        Files.delete(file);
      }
    }
  }

  private static final String SETTINGS =
      """
      # Written by Weir at each start; changes made here are lost.

      # What was answered is on disk.
      fsync = on
      synchronous_commit = on
      full_page_writes = on

      # Loopback and password only.
      listen_addresses = '127.0.0.1'
      unix_socket_directories = ''
      password_encryption = 'scram-sha-256'
      max_connections = 100

      # Sized for one node and its batches. The bundled build has no lz4, and pglz costs more
      # processor time than the disk saves.
      shared_buffers = 256MB
      huge_pages = try
      max_wal_size = 2GB
      checkpoint_timeout = 15min
      wal_compression = off
      jit = off

      # A file for each day of the week. Rotation by size would append to the same file.
      logging_collector = on
      log_directory = 'log'
      log_filename = 'postgresql-%a.log'
      log_file_mode = 0600
      log_rotation_age = 1d
      log_rotation_size = 0
      log_truncate_on_rotation = on
      log_error_verbosity = terse
      log_min_error_statement = panic
      log_timezone = 'UTC'

      timezone = 'UTC'
      """;
}
