package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.store.jdbc.internal.OracleTable;
import dev.weir.store.jdbc.slots.internal.OracleStatements;
import dev.weir.store.tck.internal.CheckedDataSource;
import dev.weir.store.tck.internal.OracleSql;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks that migrations and statements have none of the traps that H2 forgives. Besides, {@link
 * CheckedDataSource} checks every statement that any test executes.
 */
final class OracleSqlTest {
  private static final List<String> MIGRATIONS =
      List.of(
          "V1__slots",
          "V1.1__plan_column",
          "V1.2__plan_index",
          "V1.3__full_run_by_plan_index",
          "V1.4__slot_by_time_and_id",
          "V1.5__drop_slot_by_time",
          "V2__limits",
          "V3__rules",
          "V4__routes",
          "V13.1__longer_leases",
          "V17.1__more_fields_of_rules",
          "V18.1__limit_usage",
          "V18.2__limit_usage_by_removal",
          "V18.3__limit_request",
          "V18.4__limit_request_by_expiry",
          "V18.5__lease_resource",
          "V18.6__lease_resource_by_removal",
          "V18.7__lease",
          "V18.8__upkeep_of_limits",
          "V18.9__fallback_until");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select a from t order by a fetch first 1 rows only for update",
        "select a from t where b = true",
        "create table t (a boolean)",
        "select a from t where b = ''",
        "select a from t limit 5",
        "select a from t limit ?",
        "insert into t (a) values (1) returning id",
        "insert into t (a) values (1), (2)",
        "insert into t (a) values (?, coalesce(?, 1)), (?, ?)",
        "select a_name_that_is_longer_than_thirty_characters from t",
        "select t.mode from t",
        "select resource from t",
        "insert into t (a) values (?) on conflict do nothing",
        "insert into t (a) select unnest(?)",
        "select a from t where b = any(?)",
        "select a from t as u where u.b = 1",
        "select a from (select a from t) as u where a = 1",
        "(select a from t order by a) union all (select a from t)",
        "select a from t where (b, c) < (?, ?)",
        "select least(a, b) from t",
        "select *, 1 from t",
        "select 1",
        "select a::bigint from t",
        "create table t (a varchar(20))",
        "create unique index i on t (a) where b = 0",
        "select a from t s for update of s",
        "select distinct a from t for update",
        "delete from t; delete from u"
      })
  void refusesTheTrap(String sql) {
    assertThat(OracleSql.problems(sql)).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select a from t where b = 'limit 5; true' for update skip locked",
        "insert into t (a, b) values (?, ?)",
        "select s.a from (select a from t order by a fetch first ? rows only) s",
        "create table t (a varchar2(20 char) not null, b number(19), c blob)",
        "merge into t d using dual on (d.a = ?) when matched then update set d.b = ?",
        "select a from t s for update of s.a wait 10",
        "select systimestamp from dual"
      })
  void acceptsWhatOracleAccepts(String sql) {
    assertThat(OracleSql.problems(sql)).isEmpty();
  }

  @Test
  void refusesMoreParametersThanDriversTake() {
    String list = "?, ".repeat(999) + "?";
    String lists = "a in (" + list + ")" + (" or a in (" + list + ")").repeat(32);

    assertThat(OracleSql.problems("select a from t where " + lists))
        .containsExactly("a statement has up to 32,767 parameters");
  }

  @Test
  void migrationsHaveNoTrap() throws IOException {
    int statements = 0;
    for (String migration : MIGRATIONS) {
      for (String statement : statements(migration)) {
        assertThat(OracleSql.problems(statement)).as(statement).isEmpty();
        statements++;
      }
    }
    assertThat(statements).isGreaterThan(20);
  }

  private static List<String> statements(String migration) throws IOException {
    return Arrays.stream(read(migration).replaceAll("(?m)--.*$", "").split(";", -1))
        .map(String::strip)
        .filter(statement -> !statement.isEmpty())
        .toList();
  }

  @Test
  void listIsThatOfTheFolder() throws Exception {
    URI folder =
        Objects.requireNonNull(OracleSqlTest.class.getResource("/db/weir/oracle/V1__slots.sql"))
            .toURI();
    try (Stream<Path> files = Files.list(Path.of(folder).resolveSibling("."))) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(
              MIGRATIONS.stream().map(name -> name + ".sql").toList());
    }
  }

  /** The first migrations create empty tables, which can be dropped if they stop half-way. */
  @Test
  void laterMigrationsHaveOneStatementSoThatTheyCannotStopHalfWay() throws IOException {
    for (String migration : MIGRATIONS) {
      if (migration.matches("V\\d+\\.\\d+__.*")) {
        assertThat(statements(migration)).as(migration).hasSize(1);
      }
    }
  }

  /** Tables and views have one name space, indexes and keys others; ours are unique in all. */
  @Test
  void namesAreUnique() throws IOException {
    List<String> names = new ArrayList<>();
    for (String migration : MIGRATIONS) {
      Pattern.compile("(?m)^\\s*(?:create (?:table|view|index)|constraint) (\\w+)")
          .matcher(read(migration))
          .results()
          .forEach(found -> names.add(found.group(1)));
    }
    assertThat(names).hasSizeGreaterThan(25).doesNotHaveDuplicates();
  }

  @Test
  void constantStatementsHaveNoTrap() {
    List<String> statements = OracleStatements.all();

    assertThat(statements).hasSizeGreaterThan(20);
    assertThat(statements).allSatisfy(sql -> assertThat(OracleSql.problems(sql)).isEmpty());
  }

  /** A hint that names no index is ignored, without a word. */
  @Test
  void statementsOfBatchesNameIndexesThatThereAre() throws IOException {
    List<String> named =
        OracleStatements.all().stream()
            .flatMap(
                sql ->
                    Pattern.compile("/\\*\\+ index(?:_desc)?\\(\\w+ (\\w+)\\) \\*/")
                        .matcher(sql)
                        .results())
            .map(hint -> hint.group(1))
            .toList();

    assertThat(named).contains("slot_occupancy_plan", "slot_occupancy_key");
    String schema = read("V1__slots") + read("V1.2__plan_index");
    assertThat(named)
        .allSatisfy(
            index ->
                assertThat(schema)
                    .containsPattern("(create index|constraint) " + index + " (on|primary)"));
  }

  /** The statements of {@link OracleTable} are made of the names of tables. */
  @Test
  void tablesOfLimitsHaveTheIndexThatTheirStatementsName() throws IOException {
    for (String table :
        List.of(
            "V18.1__limit_usage",
            "V18.3__limit_request",
            "V18.5__lease_resource",
            "V18.7__lease")) {
      String name = table.substring(table.indexOf("__") + 2);
      assertThat(read(table)).contains("constraint " + name + "_key primary key");
    }
  }

  private static String read(String migration) throws IOException {
    try (InputStream file =
        OracleSqlTest.class.getResourceAsStream("/db/weir/oracle/" + migration + ".sql")) {
      return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
