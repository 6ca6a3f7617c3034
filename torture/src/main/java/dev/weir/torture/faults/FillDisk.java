package dev.weir.torture.faults;

import dev.weir.server.faults.Database;
import dev.weir.server.faults.Waiting;
import dev.weir.torture.stage.SmallDisk;
import dev.weir.torture.stage.Stage;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.SplittableRandom;

/** The disk of PostgreSQL is full for a while. */
final class FillDisk implements Fault {
  private static final int MAX_FILES = 40;

  @Override
  public Lane lane() {
    return Lane.PROCESSES;
  }

  @Override
  public boolean isPossible(Stage stage) {
    return stage.disk().isPresent();
  }

  @Override
  public String inflict(Stage stage, SplittableRandom random) {
    SmallDisk disk = stage.disk().orElseThrow();
    try {
      String failure = fill(stage.database(), disk);
      return "the disk of PostgreSQL was full for %s, %s"
          .formatted(Fault.pause(random, 1_000, 6_000), failure);
    } finally {
      disk.free();
      Waiting.until("a PostgreSQL that has space", () -> answers(stage.database()));
    }
  }

  /**
   * Fills the disk, begins new files of the log until one does not fit, and returns what PostgreSQL
   * says. It needs space for a connection too.
   */
  private static String fill(Database database, SmallDisk disk) {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      disk.fill();
      for (int i = 0; i < MAX_FILES; i++) {
        statement.execute("select pg_create_restore_point('full'), pg_switch_wal()");
      }
      return "which it has not noticed";
    } catch (SQLException e) {
      return "which says: " + String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }
  }

  private static boolean answers(Database database) {
    try {
      database.execute("select pg_create_restore_point('free')");
      return true;
    } catch (SQLException e) {
      return false;
    }
  }
}
