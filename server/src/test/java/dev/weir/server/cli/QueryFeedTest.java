package dev.weir.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rows of the types of time that Oracle has, from H2 in its Oracle mode. */
final class QueryFeedTest {
  private static final String URL = "jdbc:h2:mem:;MODE=Oracle";

  @Test
  void readsTimesWithAndWithoutAZone() throws IOException {
    assertThat(
            lines(
                "select 'a' as EVENT_ID,"
                    + " timestamp with time zone '2031-01-01 01:00:00.123456+01:00' as SCHEDULED_TIME,"
                    + " timestamp '2031-01-01 00:30:00' as REQUESTED_TIME, 'CONFIRMED' as STATE"
                    + " from dual"))
        .containsExactly(
            "{\"eventId\":\"a\",\"scheduledTime\":\"2031-01-01T00:00:00.123456Z\","
                + "\"requestedTime\":\"2030-12-31T23:30:00Z\",\"state\":\"confirmed\"}");
  }

  @Test
  void leavesTextsToTheServerAndLeavesOutWhatIsNull() throws IOException {
    assertThat(
            lines(
                "select '2031-01-01T00:00:00Z' as scheduledTime, 17 as event_id,"
                    + " cast(null as timestamp) as requested_time from dual"))
        .containsExactly("{\"eventId\":\"17\",\"scheduledTime\":\"2031-01-01T00:00:00Z\"}");
  }

  @Test
  void refusesColumnsThatAreMissingUnknownOrThereTwice() {
    assertThatThrownBy(() -> lines("select 1 as event_id from dual"))
        .hasMessage("there is no column scheduledTime: EVENT_ID");
    assertThatThrownBy(
            () -> lines("select 1 as event_id, 2 as eventid, 3 as scheduled_time from dual"))
        .hasMessageContaining("unknown, or there twice: EVENTID");
    assertThatThrownBy(
            () -> lines("select 1 as event_id, 2 as colour, 3 as scheduled_time from dual"))
        .hasMessageContaining("unknown, or there twice: COLOUR");
  }

  private static List<String> lines(String query) throws IOException {
    try (OldTable table = OldTable.open(URL, "", "", query)) {
      Feed feed = new QueryFeed(table, ZoneId.of("Europe/Berlin"));
      List<String> lines = new ArrayList<>();
      for (FeedLine line = feed.next(); line != null; line = feed.next()) {
        lines.add(((FeedLine.Entry) line).request());
      }
      return lines;
    }
  }
}
