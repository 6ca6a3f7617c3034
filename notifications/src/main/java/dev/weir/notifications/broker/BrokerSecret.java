package dev.weir.notifications.broker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;

/**
 * What clients of the broker identify themselves by. Every user of the machine reaches its ports,
 * and only those who can read the file have the secret: the owner of the process.
 */
record BrokerSecret(String text) {
  private static final String FILE = "weir.secret";
  private static final String USER = "weir";
  private static final int BYTES = 24;

  private static final Set<PosixFilePermission> FOLDER =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> SECRET =
      PosixFilePermissions.fromString("rw-------");

  /**
   * Returns the secret in the folder of a broker. Closes the folder to other users, whatever it was
   * before. A secret that they could read or write is replaced.
   */
  static BrokerSecret in(Path folder) throws IOException {
    Files.createDirectories(folder);
    Files.setPosixFilePermissions(folder, FOLDER);
    Path file = folder.resolve(FILE);
    if (Files.isRegularFile(file) && Files.getPosixFilePermissions(file).equals(SECRET)) {
      String known = Files.readString(file).strip();
      if (known.length() == 2 * BYTES) {
        return new BrokerSecret(known);
      }
    }
    return create(file);
  }

  private static BrokerSecret create(Path file) throws IOException {
    byte[] random = new byte[BYTES];
    new SecureRandom().nextBytes(random);
    String text = HexFormat.of().formatHex(random);
    // Renamed when complete: after a crash, a file with the final name is whole.
    Path partial = file.resolveSibling(FILE + ".partial");
    Files.deleteIfExists(partial);
    Files.createFile(partial, PosixFilePermissions.asFileAttribute(SECRET));
    Files.writeString(partial, text + "\n", StandardOpenOption.WRITE, StandardOpenOption.DSYNC);
    Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    return new BrokerSecret(text);
  }

  /** Returns the settings of clients. */
  Map<String, String> clientProperties() {
    return Map.of(
        "security.protocol",
        "SASL_PLAINTEXT",
        "sasl.mechanism",
        "PLAIN",
        "sasl.jaas.config",
        login("").strip() + ";");
  }

  /** Returns the login of a listener: who it is to others, and whom it lets in. */
  String listenerLogin() {
    return login("user_%s=\"%s\"".formatted(USER, text)) + ";";
  }

  private String login(String more) {
    return "org.apache.kafka.common.security.plain.PlainLoginModule required"
        + " username=\"%s\" password=\"%s\" %s".formatted(USER, text, more);
  }

  /** Does not contain the secret. */
  @Override
  public String toString() {
    return "BrokerSecret";
  }
}
