package dev.weir.store.jdbc.slots.internal;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;

/** The constant statements, and parts of statements, of slots in Oracle. */
public final class OracleStatements {
  private OracleStatements() {}

  public static List<String> all() {
    List<String> statements = new ArrayList<>();
    for (Class<?> type :
        List.of(
            OracleSlots.class,
            OracleSlotPortions.class,
            OracleLocks.class,
            OracleSlotUpkeep.class,
            OracleSlotWriter.class)) {
      for (Field field : type.getDeclaredFields()) {
        if (Modifier.isStatic(field.getModifiers()) && field.getType() == String.class) {
          statements.add(value(field));
        }
      }
    }
    return statements;
  }

  private static String value(Field field) {
    try {
      field.setAccessible(true);
      return (String) field.get(null);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }
}
