package dev.weir.store.tck.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Refuses SQL that H2 accepts in its Oracle mode, or that PostgreSQL accepts, and Oracle 19c does
 * not, or understands differently. It knows the traps, not the language.
 */
public final class OracleSql {
  private static final int MAX_IDENTIFIER = 30;
  private static final int MAX_VALUES_OF_A_LIST = 1_000;
  private static final int MAX_PARAMETERS = 32_767;

  /** What must not occur, and why. */
  private record Trap(Pattern pattern, String reason) {
    static Trap of(String regex, String reason) {
      return new Trap(Pattern.compile(regex), reason);
    }
  }

  /** Matched against the statement in lower case, without comments and without texts. */
  private static final List<Trap> TRAPS =
      List.of(
          Trap.of(";", "a statement of JDBC has no semicolon (ORA-00933)"),
          Trap.of("\\blimit\\s+(\\?|\\d)", "there is no LIMIT (ORA-00933)"),
          Trap.of("\\b(boolean|true|false)\\b", "there are no booleans before version 23"),
          Trap.of("\\breturning\\b(?!.*\\binto\\b)", "RETURNING needs INTO (ORA-00925)"),
          Trap.of(
              "\\bvalues\\s*\\([^()]*(\\([^()]*\\)[^()]*)*\\)\\s*,",
              "VALUES has one row before version 23 (ORA-00933)"),
          Trap.of("\\bon\\s+conflict\\b", "there is no ON CONFLICT"),
          Trap.of("\\bunnest\\b|\\bany\\s*\\(\\s*\\?|\\ball\\s*\\(\\s*\\?", "there are no arrays"),
          Trap.of("::|\\barray\\b|\\bilike\\b|\\bctid\\b|\\brecursive\\b", "that is PostgreSQL's"),
          Trap.of(
              "\\b(text|bytea|bigint|int|smallint|varchar|timestamptz|serial)\\b",
              "use VARCHAR2, NUMBER, BLOB, CLOB and TIMESTAMP"),
          Trap.of(
              "\\b(from|join)\\s+[a-z_.]+\\s+as\\b",
              "no AS before the alias of a table (ORA-00933)"),
          Trap.of(
              "\\)\\s+as\\s+[a-z_]+\\s*($|\\)|where\\b|join\\b|on\\b|order\\b|group\\b|cross\\b)",
              "no AS before the alias of a subquery (ORA-00933)"),
          Trap.of(
              "^\\s*\\(\\s*select\\b|\\bunion\\s+(all\\s+)?\\(",
              "a part of UNION that has its own ORDER BY must be a subquery (ORA-00907)"),
          Trap.of(
              "\\)\\s*(<|>|<=|>=)\\s*\\(\\s*[?a-z]",
              "rows cannot be compared by order (ORA-01796)"),
          Trap.of(
              "\\b(least|greatest)\\s*\\((?!\\s*coalesce\\b)", "one null makes the result null"),
          Trap.of("\\bselect\\s+\\*\\s*,", "a bare * stands alone (ORA-00923)"),
          Trap.of("\\bif\\s+(not\\s+)?exists\\b", "there is no IF EXISTS before version 23"),
          Trap.of("^\\s*select\\b(?!.*\\bfrom\\b)", "SELECT needs FROM before version 23"),
          Trap.of(
              "\\bcreate\\s+(unique\\s+)?index\\b.*\\bwhere\\b", "there are no partial indexes"),
          Trap.of("\\bfor\\s+update\\s+of\\s+[a-z_]+(?![a-z_.])", "FOR UPDATE OF names columns"));

  private static final Pattern FOR_UPDATE = Pattern.compile("\\bfor\\s+update\\b");
  private static final Pattern NOT_LOCKABLE =
      Pattern.compile("\\bfetch\\s+(first|next)\\b|\\bdistinct\\b|\\bgroup\\s+by\\b|\\bunion\\b");

  private static final Pattern LIST = Pattern.compile("\\bin\\s*\\(([?,\\s]*)\\)");
  private static final Pattern WORD = Pattern.compile("[a-z_][a-z0-9_$#]*");

  /** Reserved words of Oracle that none of our statements uses as part of the language. */
  private static final Set<String> RESERVED =
      Set.of(
          "access",
          "audit",
          "cluster",
          "column",
          "comment",
          "compress",
          "exclusive",
          "file",
          "identified",
          "immediate",
          "increment",
          "initial",
          "level",
          "lock",
          "long",
          "maxextents",
          "mlslabel",
          "mode",
          "modify",
          "noaudit",
          "nocompress",
          "nowait",
          "offline",
          "online",
          "option",
          "pctfree",
          "prior",
          "privileges",
          "public",
          "raw",
          "rename",
          "resource",
          "revoke",
          "row",
          "rowid",
          "rownum",
          "session",
          "share",
          "size",
          "start",
          "successful",
          "synonym",
          "sysdate",
          "trigger",
          "uid",
          "user",
          "validate",
          "whenever");

  private OracleSql() {}

  /**
   * Checks a statement.
   *
   * @throws AssertionError if Oracle would refuse the statement or understand it differently
   */
  public static void check(String sql) {
    List<String> problems = problems(sql);
    if (!problems.isEmpty()) {
      throw new AssertionError("not for Oracle: " + problems + "\n" + sql);
    }
  }

  public static List<String> problems(String sql) {
    List<String> problems = new ArrayList<>();
    String withoutComments = sql.replaceAll("(?m)--.*$", "");
    if (Pattern.compile("(?<!')''(?!')").matcher(withoutComments).find()) {
      problems.add("an empty text is null");
    }
    String text =
        withoutComments
            .replaceAll("'[^']*'", "'x'")
            .toLowerCase(Locale.ROOT)
            .replaceAll("\\s+", " ");
    for (Trap trap : TRAPS) {
      if (trap.pattern().matcher(text).find()) {
        problems.add(trap.reason());
      }
    }
    if (FOR_UPDATE.matcher(text).find() && NOT_LOCKABLE.matcher(text).find()) {
      problems.add("such a query cannot be locked (ORA-02014)");
    }
    Matcher list = LIST.matcher(text);
    while (list.find()) {
      if (list.group(1).chars().filter(c -> c == '?').count() > MAX_VALUES_OF_A_LIST) {
        problems.add("a list has up to 1,000 values (ORA-01795)");
      }
    }
    if (text.chars().filter(c -> c == '?').count() > MAX_PARAMETERS) {
      problems.add("a statement has up to 32,767 parameters");
    }
    Matcher word = WORD.matcher(text);
    while (word.find()) {
      if (word.group().length() > MAX_IDENTIFIER) {
        problems.add(word.group() + " is longer than 30 characters");
      }
      if (RESERVED.contains(word.group())) {
        problems.add(word.group() + " is a reserved word");
      }
    }
    return problems;
  }
}
