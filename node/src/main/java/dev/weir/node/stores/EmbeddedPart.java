package dev.weir.node.stores;

import dev.weir.PartOwnership;
import dev.weir.store.jdbc.internal.JdbcPartOwnership;
import java.net.InetAddress;
import java.net.UnknownHostException;
import javax.sql.DataSource;

/** A part that a node has for itself, and that only one node of a database may use. */
public enum EmbeddedPart {
  /** Number of an advisory lock: "weir" in ASCII, followed by 12. */
  TEMPORAL(0x776569720CL, "embedded-temporal"),

  /** Number of an advisory lock: "weir" in ASCII, followed by 13. */
  KAFKA(0x776569720DL, "embedded-kafka");

  private final long lock;
  private final String id;

  EmbeddedPart(long lock, String id) {
    this.lock = lock;
    this.id = id;
  }

  /** Returns the right to use it. */
  public PartOwnership ownership(DataSource database) {
    return new JdbcPartOwnership(database, lock, id, here());
  }

  /** Returns for people where this node runs. */
  private static String here() {
    long pid = ProcessHandle.current().pid();
    try {
      return "process %d on %s".formatted(pid, InetAddress.getLocalHost().getHostName());
    } catch (UnknownHostException e) {
      return "process " + pid;
    }
  }
}
