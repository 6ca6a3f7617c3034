package dev.weir.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.client.JsonObject;
import dev.weir.client.WindowPage;
import dev.weir.node.cli.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

final class BarChartTest {
  private static final Duration SIZE = Duration.ofSeconds(4);
  private static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");
  private static final Terminal PLAIN = new Terminal(false, false, false, 60);
  private static final Terminal UNICODE = new Terminal(false, false, true, 60);
  private static final Terminal COLOURED = new Terminal(true, true, true, 60);

  @Test
  void drawsARowForEachWindowAndALineForEachGap() {
    assertThat(
            new BarChart(PLAIN, SIZE)
                .rows(List.of(window(0, 100), window(1, 50), window(2, 0), window(14, 1))))
        .containsExactly(
            "2026-06-01T12:00:00Z  #####################  100/100  100 %",
            "2026-06-01T12:00:04Z  ##########              50/100   50 %",
            "... 12 empty windows",
            "2026-06-01T12:00:56Z  #                        1/100    1 %");
  }

  @Test
  void drawsEighthsOfAColumnWhereThereAreSuchCharacters() {
    List<String> rows =
        new BarChart(UNICODE, SIZE).rows(List.of(window(0, 100), window(1, 51), window(3, 99)));
    assertThat(rows.get(0)).contains("  " + "█".repeat(21) + "  ");
    assertThat(rows.get(1)).contains("  " + "█".repeat(10) + "▋ ");
    assertThat(rows.get(2)).isEqualTo("… 1 empty window");
    assertThat(rows.get(3)).contains("█".repeat(20) + "▊  ").contains(" 99 %");
  }

  @Test
  void fillsTheWidthOfTheTerminal() {
    for (int width : new int[] {60, 80, 200}) {
      assertThat(
              new BarChart(new Terminal(true, false, true, width), SIZE)
                  .rows(List.of(window(0, 100), window(1, 3))))
          .allSatisfy(row -> assertThat(row.length()).isEqualTo(width - 1));
    }
  }

  @Test
  void coloursByHowFullAWindowIs() {
    assertThat(
            new BarChart(COLOURED, SIZE)
                .rows(List.of(window(0, 100), window(1, 80), window(2, 79))))
        .satisfiesExactly(
            full -> assertThat(full).contains("\u001b[31m█").contains("\u001b[0m"),
            nearly -> assertThat(nearly).contains("\u001b[33m█"),
            easy -> assertThat(easy).contains("\u001b[32m█"));
    assertThat(new BarChart(UNICODE, SIZE).rows(List.of(window(0, 100))).getFirst())
        .doesNotContain("\u001b");
  }

  @Test
  void showsAWindowThatHoldsMoreThanALoweredLimit() {
    assertThat(new BarChart(PLAIN, SIZE).rows(List.of(window(0, 160))).getFirst())
        .contains("160/100  160 %");
  }

  @Test
  void saysWhereMoreWouldBeAndWhenThereIsNothing() throws IOException {
    assertThat(
            drawn(
                """
                {"configName":"bulk","windowSize":"PT4S","maxPerWindow":100,"windows":[
                 {"start":"2026-06-01T12:00:00Z","end":"2026-06-01T12:00:04Z","taken":1,"max":2}],
                 "next":"2026-06-01T12:00:04Z"}
                """))
        .contains("1/2   50 %")
        .contains("--from 2026-06-01T12:00:04Z");
    assertThat(drawn("{\"configName\":\"bulk\",\"windowSize\":\"PT4S\",\"windows\":[]}"))
        .isEqualToIgnoringNewLines("No events ahead on configuration bulk.");
  }

  @Test
  void takesTheWidthFromTheEnvironment() {
    assertThat(Terminal.widthColumns("132")).isEqualTo(132);
    assertThat(Terminal.widthColumns("")).isEqualTo(80);
    assertThat(Terminal.widthColumns("wide")).isEqualTo(80);
    assertThat(Terminal.widthColumns("1")).isEqualTo(40);
    assertThat(Terminal.widthColumns("9999")).isEqualTo(400);
  }

  private static WindowPage.Occupancy window(long index, long taken) {
    Instant start = NOON.plus(SIZE.multipliedBy(index));
    return new WindowPage.Occupancy(start, start.plus(SIZE), taken, 100);
  }

  private static String drawn(String json) throws IOException {
    StringWriter out = new StringWriter();
    try (PrintWriter printer = new PrintWriter(out)) {
      SlotsWindows.draw(
          WindowPage.read(JsonObject.read(json.getBytes(StandardCharsets.UTF_8))), PLAIN, printer);
    }
    return out.toString();
  }
}
