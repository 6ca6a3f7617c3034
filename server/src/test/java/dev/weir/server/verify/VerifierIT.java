package dev.weir.server.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.node.cli.CommandRun;
import dev.weir.node.wiring.Node;
import dev.weir.server.cli.VerifyCommand;
import dev.weir.server.faults.Api;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

/** Sound configs pass, and each kind of damage done to them is found. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class VerifierIT {
  @TempDir private static Path folder;
  private static SlotDatabase database;

  /** Used for everything, because opening one takes longer than most of what is done with it. */
  private Connection connection;

  @BeforeAll
  static void assignSlots() throws IOException, InterruptedException {
    database = SlotDatabase.create(folder);
  }

  @AfterAll
  static void stop() {
    database.close();
  }

  @BeforeEach
  void copyTheRows() throws SQLException {
    connection = database.connectToCopiedRows();
  }

  @AfterEach
  void disconnect() throws SQLException {
    connection.close();
  }

  @ParameterizedTest
  @EnumSource
  void soundDataPasses(Verifier.Past past) throws Exception {
    Findings findings = check(past);
    assertThat(findings.clean()).as(findings.toString()).isTrue();
    assertThat(findings.lookedAt(Invariant.TIMES, "slots")).isEqualTo(SlotDatabase.SLOTS);
    assertThat(findings.lookedAt(Invariant.KEPT, "answers")).isEqualTo(SlotDatabase.SLOTS);
    assertThat(findings.lookedAt(Invariant.EARLIEST, "events")).isEqualTo(SlotDatabase.SLOTS);
    assertThat(findings.lookedAt(Invariant.KEPT, "runs of full windows")).isGreaterThan(4);
  }

  /** An event of the configuration "plain" is changed by an assignment in SQL. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          TIMES    | is before its requested time   | requested = scheduled + 1
          TIMES    | is not in its window           | window_start = window_start + 1
          TIMES    | is not in its window           | window_start = window_start - 1000000
          TIMES    | is not at the time of its place | scheduled = scheduled + 1
          TIMES    | has place                      | place = 10
          LIMIT    | which another event holds      | place = (place + 1) % 10
          SPREAD   | is only 1                      | scheduled = (select min(scheduled) + 1 from slot x where x.config_id = slot.config_id and x.window_start = slot.window_start and x.event_id <> slot.event_id)
          SPREAD   | ends an interval with          | scheduled = (select min(scheduled) from slot x where x.config_id = slot.config_id and x.window_start = slot.window_start and x.event_id <> slot.event_id)
          KEPT     | free that events hold          | place = 12
          KEPT     | has a slot of a version that   | version = 7
          ONE_SLOT | was given                      | scheduled = scheduled + 1000
          EARLIEST | was free                       | requested = requested - 1000000
          """)
  void findsAChangedSlot(Invariant invariant, String words, String assignment) throws Exception {
    damage("update slot set " + assignment + " where event_id = 'plain-a12'");
    assertFinds(invariant, words);
  }

  @Test
  void findsAnEventThatIsLaterThanTheMaxDelay() throws Exception {
    damage("update slot_config_version set max_delay_micros = 1 where config_id = " + id("now"));
    assertFinds(Invariant.TIMES, "is later than the max delay of");
  }

  @Test
  void findsAnEventThatWasPastWhenAssigned() throws Exception {
    damage("update slot set assigned_at = scheduled + 1 where event_id = 'now-a1'");
    assertFinds(Invariant.TIMES, "was past when it was assigned");
  }

  @Test
  void findsEventsInClosedAndPausedTime() throws Exception {
    damage(
        "update slot_config_version set paused_until = 1906700390200000 where config_id = "
            + id("plain"),
        "update slot set scheduled = scheduled - 3600000000,"
            + " window_start = window_start - 3600000000 where event_id = 'hours-a1'");
    assertFinds(Invariant.TIMES, "is in closed time");
    assertFinds(Invariant.TIMES, "is in paused time");
  }

  @Test
  void findsWindowsBeyondTheirLimit() throws Exception {
    damage("update slot_config_version set max_per_window = 9 where config_id = " + id("plain"));
    assertFinds(Invariant.LIMIT, "held 10 events when v1, limit 9, assigned its last");
  }

  @Test
  void judgesAWindowByTheVersionOfItsLastEvent() throws Exception {
    damage(
        "update slot_config_version set max_per_window = 6 where version = 2 and config_id = "
            + id("changed"));
    assertFinds(Invariant.LIMIT, "when v2, limit 6, assigned its last");
  }

  @Test
  void findsTwoSlotsOfOneEvent() throws Exception {
    damage("insert into slot select * from slot where event_id = 'dice-a1'");
    assertFinds(Invariant.ONE_SLOT, "\"dice-a1\" has more than one slot");
  }

  @Test
  void findsAHoleThatALaterEventCouldHaveHad() throws Exception {
    damage("delete from slot where event_id = 'plain-a2'");
    assertFinds(Invariant.EARLIEST, "was free");
    assertFinds(Invariant.KEPT, "event \"plain-a2\" was given");
    assertFinds(Invariant.KEPT, "has 9 places taken for 8 events");
  }

  @Test
  void findsAHoleInRandomAndInOpeningHours() throws Exception {
    damage(
        "delete from slot where event_id = 'dice-a12'",
        "delete from slot where event_id = 'hours-a2'");
    assertFinds(Invariant.EARLIEST, "of dice v1");
    assertFinds(Invariant.EARLIEST, "of hours v1");
  }

  @Test
  void findsALowerPlaceLeftFree() throws Exception {
    damage(
        "delete from slot where event_id = (select event_id from slot where place = 1"
            + " and config_id = %d order by scheduled desc limit 1)".formatted(id("plain")));
    assertFinds(Invariant.EARLIEST, "and a lower one at");
  }

  @Test
  void findsAHoleUnderPoliciesOfTheSameSize() throws Exception {
    damage("delete from slot where event_id = (" + raised("version = 2 and place > 10") + ")");
    assertThat(check(Verifier.Past.COMPLETE).firstBreaches(Invariant.EARLIEST))
        .isNotEmpty()
        .allMatch(breach -> breach.contains("of raised v2") && breach.contains("was free"));
  }

  @Test
  void findsAHoleOfAnEarlierVersionInTheWayOfALaterOne() throws Exception {
    damage("delete from slot where event_id = (" + raised("version = 1") + ")");
    assertFinds(Invariant.EARLIEST, "of raised v1");
    assertFinds(Invariant.EARLIEST, "of raised v2");
  }

  @Test
  void findsAPlaceLeftBetweenEventsOfAnotherSize() throws Exception {
    // A window of v2 that holds nothing but events of v1.
    damage(
        """
        delete from slot where event_id in (
          select event_id from slot where version = 1 and config_id = %1$d
          and scheduled / 3000000 = (
            select max(scheduled) / 3000000 - 2 from slot where version = 1 and config_id = %1$d)
          limit 2)
        """
            .formatted(id("changed")));
    assertFinds(Invariant.EARLIEST, "of changed v2");
  }

  @Test
  void decidesNothingByPlacesThatEndedSlotsLeft() throws Exception {
    damage("update slot set state = 2 where event_id in ('plain-a2', 'dice-a12')");
    Findings findings = check(Verifier.Past.COMPLETE);
    assertThat(findings.firstBreaches(Invariant.EARLIEST)).isEmpty();
    assertThat(findings.open(Invariant.EARLIEST)).isPositive();
    assertThat(findings.toString()).contains("4. open");
  }

  @Test
  void decidesNothingByAHoleThatACancelledAndRequestedAgainEventMayHaveLeft() throws Exception {
    connection.close();
    String url = database.copy();
    try (Node node = database.node(url);
        Api api = new Api(node.address())) {
      assertThat(api.delete("/api/v1/slots/plain-a2").statusCode()).isEqualTo(204);
      api.post(
          "/api/v1/slots",
          "{\"eventId\":\"plain-a2\",\"configName\":\"plain\","
              + "\"requestedTime\":\"2030-06-03T08:00:00Z\"}");
    }
    connection = database.connect(url);
    Verifier verifier = new Verifier(connection);
    verifier.slots(Long.MIN_VALUE, Verifier.Past.UNKNOWN);
    Findings findings = verifier.findings();
    assertThat(findings.clean()).as(findings.toString()).isTrue();
    assertThat(findings.open(Invariant.EARLIEST)).isGreaterThan(20);
    assertThat(findings.toString())
        .contains("not decidable for")
        .contains("Nothing wrong was found; not all could be decided.");
    leaveTheTransaction();
    assertThat(check(Verifier.Past.COMPLETE).breaches(Invariant.EARLIEST)).isPositive();
  }

  @ParameterizedTest
  @EnumSource
  void adoptedEventsPassAlsoInOverfullClosedAndPastWindows(Verifier.Past past) throws Exception {
    connectToAdopted(past == Verifier.Past.UNKNOWN);
    Findings findings = check(past);
    assertThat(findings.clean()).as(findings.toString()).isTrue();
    assertThat(
            findings.lookedAt(Invariant.TIMES, "adopted slots, whose times are taken as they are"))
        .isEqualTo(40);
  }

  @Test
  void findsAnAdoptedEventBeyondTheLimitThatWasNotAcceptedAsSuch() throws Exception {
    connectToAdopted(false);
    damage("update slot set place = -1 where place = -2 and event_id like 'plain-%'");
    assertFinds(Invariant.LIMIT, "when v1, limit 10, assigned its last");
  }

  @Test
  void findsAnAdoptedEventThatIsNotCounted() throws Exception {
    connectToAdopted(false);
    damage("update slot set scheduled = scheduled + 1000000 where event_id = 'plain-adopted3'");
    assertFinds(Invariant.TIMES, "is not in its window");
    assertFinds(Invariant.KEPT, "places taken for");
  }

  /**
   * Adopts eight events in each of five configurations, of different windows, and assigns others
   * before and after a change of one of them.
   */
  private void connectToAdopted(boolean endsSome) throws Exception {
    connection.close();
    String url = database.copy();
    try (Node node = database.node(url);
        Api api = new Api(node.address())) {
      for (String config : List.of("plain", "dice", "hours", "now", "changed")) {
        adopt(api, config, 0, 4, "2030-06-03T06:59:50.1%dZ");
        assign(api, config, "c");
        adopt(api, config, 4, 6, "2030-06-03T06:59:56.2%dZ");
        if (config.equals("plain")) {
          api.configure("{'configName':'plain','maxPerWindow':12,'windowSize':'PT1S'}");
        }
        adopt(api, config, 6, 8, "2020-06-03T06:59:50.3%dZ");
        assign(api, config, "d");
        if (endsSome) {
          assertThat(api.delete("/api/v1/slots/" + config + "-adopted1").statusCode())
              .isEqualTo(204);
          assign(api, config, "e");
        }
      }
    }
    connection = database.connect(url);
  }

  private static void adopt(Api api, String config, int from, int until, String times)
      throws IOException, InterruptedException {
    String lines =
        IntStream.range(from, until)
            .mapToObj(
                i ->
                    "{\"eventId\":\"%s-adopted%d\",\"scheduledTime\":\"%s\"}%n"
                        .formatted(config, i, times.formatted(i)))
            .collect(Collectors.joining());
    String answers =
        api.post(
                "/admin/slots/adopt?overfull=accept&configName=" + config,
                lines,
                "application/x-ndjson")
            .body();
    assertThat(answers.lines()).hasSize(until - from).allMatch(line -> line.contains("overfull"));
  }

  private static void assign(Api api, String config, String series)
      throws IOException, InterruptedException {
    String lines =
        IntStream.range(0, 25)
            .mapToObj(
                i ->
                    ("{\"eventId\":\"%s-%s%d\",\"configName\":\"%s\","
                            + "\"requestedTime\":\"2030-06-03T06:59:50Z\"}%n")
                        .formatted(config, series, i, config))
            .collect(Collectors.joining());
    assertThat(api.lines(lines).body().lines()).allMatch(line -> line.contains("scheduledTime"));
  }

  @Test
  void findsEventsOfTwoVersionsThatLieTooClose() throws Exception {
    damage(
        "update slot set scheduled = (%s) + 1 where event_id = (%s)"
            .formatted(
                raised("version = 1").replace("event_id", "scheduled"),
                raised("version = 2 and place > 10")));
    assertFinds(Invariant.SPREAD, "of raised v2");
  }

  /** Selects one event in a window that is neither the first nor the last. */
  private String raised(String where) throws SQLException {
    return "select event_id from slot where config_id = %d and %s and window_start = (%s)"
            .formatted(
                id("raised"),
                where,
                "select min(window_start) + 1000000 from slot where config_id = " + id("raised"))
        + " order by place limit 1";
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          is recorded as full and is not    | update slot_window set is_full = true where not is_full
          is full and not recorded as full  | update slot_window set is_full = false where is_full
          is recorded with 11 events        | update slot_window set taken = 11 where taken = 10
          holds 10 events and is not stored | delete from slot_window where taken = 10
          free that events hold             | update slot_window set taken = 1, places = '\\x01'
          is full and no run covers it      | delete from full_run
          has a free place                  | update full_run set until_micros = until_micros + 1000000
          is covered by a run and holds no  | update full_run set from_micros = from_micros - 1000000
          begins an impossible run          | update full_run set from_micros = from_micros + 1
          begins a run that overlaps        | insert into full_run select config_id, grid, from_micros + 1000000, until_micros from full_run
          is at version                     | update slot_config set version = version + 1
          """)
  void findsWindowsAndRunsThatDisagreeWithTheSlots(String words, String damage) throws Exception {
    damage(damage);
    assertFinds(Invariant.KEPT, words);
  }

  /** Windows that were counted when an event requested a time before the last change. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          is recorded as full and is not   | update slot_window w set is_full = true from slot_config c where not is_full and %s
          free that events hold            | update slot_window w set taken = 1, places = '\\x01' from slot_config c where %s
          events and is not stored         | delete from slot_window w using slot_config c where %s
          is full and no run covers it     | delete from full_run w using slot_config c where %s
          which is impossible              | update counted_span w set until_micros = until_micros + 1 from slot_config c where %s
          """)
  void findsWindowsOfThePastThatDisagreeWithTheSlots(String words, String damage) throws Exception {
    String ofPast = "c.name = 'past' and w.config_id = c.config_id and w.grid = c.grid";
    damage(damage.formatted(ofPast));
    assertFinds(Invariant.KEPT, words);
  }

  @Test
  void findsAPlaceTakenWithoutAnEvent() throws Exception {
    damage(
        "delete from slot where event_id = 'changed-b7'",
        "delete from slot where event_id = 'ended-b1'");
    assertFinds(Invariant.KEPT, "of changed has");
    assertFinds(Invariant.KEPT, "of ended has");
  }

  @Test
  void findsAStateThatDiffersFromTheAnswer() throws Exception {
    Path changed = folder.resolve("changed.ndjson");
    Files.writeString(
        changed,
        Files.readAllLines(database.journal()).getFirst().replace("}", ",\"state\":\"cancelled\"}")
            + "\n");
    Verifier verifier = new Verifier(connection);
    verifier.answers(changed);
    assertThat(verifier.findings().firstBreaches(Invariant.KEPT))
        .containsExactly("event \"plain-a0\" was answered as cancelled and is assigned");
  }

  @Test
  void refusesAnInvalidJournal() throws Exception {
    Path broken = folder.resolve("broken.ndjson");
    Files.writeString(broken, "{}\n{\"eventId\":\n");
    Verifier verifier = new Verifier(connection);
    assertThatThrownBy(() -> verifier.answers(broken)).hasMessageContaining("line 2 is no answer");
  }

  @Test
  void theCommandReportsAndExitsByWhatItFound() throws Exception {
    StringWriter report = new StringWriter();
    assertThat(command(report)).as(report.toString()).isZero();
    assertThat(report.toString())
        .contains("1. holds")
        .contains("4. open")
        .contains("Nothing wrong was found; not all could be decided.");
  }

  /** Such as one that a node with a newer Java has stored. */
  @Test
  void aTimeZoneThatThisJavaDoesNotKnowIsNoBrokenInvariant() throws Exception {
    connection.close();
    String url = database.copy();
    connection = database.connect(url);
    try (Statement statement = connection.createStatement()) {
      assertThat(
              statement.executeUpdate(
                  "update slot_config_version"
                      + " set calendar = replace(calendar, 'Europe/Berlin', 'Moon/Tranquility')"
                      + " where calendar is not null"))
          .isPositive();
    }
    Path settings =
        Files.writeString(
            folder.resolve("verify.properties"),
            "weir.db.url=%s%nweir.db.user=weir%nweir.db.password=%s%n"
                .formatted(url, Files.readString(folder.resolve("data/password")).strip()));
    CommandRun run = CommandRun.of(new VerifyCommand(), "--settings", settings.toString());
    assertThat(run.err()).isEqualToIgnoringNewLines("weir: Unknown time-zone ID: Moon/Tranquility");
    assertThat(run.code()).isEqualTo(2);
  }

  private int command(StringWriter report) {
    return new CommandLine(new VerifyCommand())
        .setOut(new PrintWriter(report))
        .execute(
            "--data",
            folder.resolve("data").toString(),
            "--answers",
            database.journal().toString());
  }

  private Findings check(Verifier.Past past) throws Exception {
    Verifier verifier = new Verifier(connection);
    verifier.slots(Long.MIN_VALUE, past);
    verifier.answers(database.journal());
    leaveTheTransaction();
    return verifier.findings();
  }

  /** The one that a verifier leaves a connection in. */
  private void leaveTheTransaction() throws SQLException {
    connection.rollback();
    connection.setReadOnly(false);
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    connection.setAutoCommit(true);
  }

  private void assertFinds(Invariant invariant, String words) throws Exception {
    Findings findings = check(Verifier.Past.COMPLETE);
    assertThat(findings.clean()).isFalse();
    assertThat(findings.firstBreaches(invariant))
        .as(findings.toString())
        .anyMatch(breach -> breach.contains(words));
  }

  private void damage(String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        assertThat(statement.executeUpdate(sql)).as(sql).isNotNegative();
      }
    }
  }

  private int id(String config) throws SQLException {
    try (Statement statement = connection.createStatement();
        var row =
            statement.executeQuery(
                "select config_id from slot_config where name = '" + config + "'")) {
      assertThat(row.next()).isTrue();
      return row.getInt(1);
    }
  }
}
