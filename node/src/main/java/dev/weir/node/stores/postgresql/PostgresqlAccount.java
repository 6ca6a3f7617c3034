package dev.weir.node.stores.postgresql;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The user that the PostgreSQL programs run as. PostgreSQL refuses to run as root, so root has to
 * switch to another identity.
 *
 * <p>Each of these prefixes replaces itself with the program it starts, so that the process id that
 * we started is that of PostgreSQL.
 */
enum PostgresqlAccount {
  /** The user that runs Weir. */
  SELF(""),
  /** Root in a user namespace without a mapping for it: files remain owned by root. */
  ROOT_WITHOUT_A_NAME("unshare --user"),
  /**
   * User 65534, for root in containers that forbid user namespaces: files are handed over to it.
   */
  NOBODY("setpriv --reuid=65534 --regid=65534 --clear-groups");

  private static final int NOBODY_ID = 65_534;
  private static final Path SELF_PROCESS = Path.of("/proc/self");

  private final String prefix;

  PostgresqlAccount(String prefix) {
    this.prefix = prefix;
  }

  /** Returns the accounts that may work for the user of this process, best first. */
  static List<PostgresqlAccount> candidates() throws IOException {
    return userId() == 0 ? List.of(ROOT_WITHOUT_A_NAME, NOBODY) : List.of(SELF);
  }

  /** Returns the id of the user that runs Weir. */
  static int userId() throws IOException {
    return ownerId(
        Files.exists(SELF_PROCESS) ? SELF_PROCESS : Path.of(System.getProperty("user.home")));
  }

  /**
   * Returns the command line that starts a program under this account. It runs in its own session
   * if {@code setsid} exists: Ctrl-C in the terminal is for Weir, which drains before it stops
   * PostgreSQL.
   */
  List<String> words(Path program, String... arguments) {
    List<String> words = new ArrayList<>();
    if (Files.isExecutable(Path.of("/usr/bin/setsid"))) {
      words.add("setsid");
    }
    if (!prefix.isEmpty()) {
      words.addAll(List.of(prefix.split(" ", -1)));
    }
    words.add(program.toString());
    words.addAll(List.of(arguments));
    return words;
  }

  /** Makes this account the owner of the file, or of the folder and its content. */
  void own(Path path) throws IOException {
    if (this == SELF) {
      return;
    }
    int wanted = this == NOBODY ? NOBODY_ID : 0;
    if (ownerId(path) == wanted) {
      return;
    }
    try (Stream<Path> paths = Files.walk(path)) {
      // Deepest first, so that an interrupted hand-over is repeated at the next start.
      for (Path each : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.setAttribute(each, "unix:uid", wanted, LinkOption.NOFOLLOW_LINKS);
        Files.setAttribute(each, "unix:gid", wanted, LinkOption.NOFOLLOW_LINKS);
      }
    }
  }

  /** Lets this account pass through the folder to its own files inside, without listing it. */
  void passThrough(Path folder) throws IOException {
    if (this == NOBODY) {
      Set<PosixFilePermission> permissions = EnumSet.copyOf(Files.getPosixFilePermissions(folder));
      permissions.add(PosixFilePermission.GROUP_EXECUTE);
      permissions.add(PosixFilePermission.OTHERS_EXECUTE);
      Files.setPosixFilePermissions(folder, permissions);
    }
  }

  static int ownerId(Path path) throws IOException {
    return (Integer) Files.getAttribute(path, "unix:uid");
  }
}
