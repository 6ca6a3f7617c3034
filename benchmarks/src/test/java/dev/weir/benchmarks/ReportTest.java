package dev.weir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ReportTest {
  private static final Row MET =
      new Row("slots", "64 \"callers\"", "weir", 50, "slots/s", against(2, new Row.AtLeast(20)));
  private static final Row MISSED =
      new Row("slots", "p99", "weir", 50, "ms", against(100, new Row.AtMost(0.1)));

  @Test
  void writesExactlyTheKeysOfTheFormat() {
    assertThat(Report.jsonLine(MET))
        .isEqualTo(
            "{\"bench\":\"slots\",\"case\":\"64 \\\"callers\\\"\",\"subject\":\"weir\","
                + "\"peer\":\"usual\",\"value\":50.0,\"unit\":\"slots/s\",\"ratio\":25.0}");
    assertThat(Report.jsonLine(Row.alone("slots", "c", "s", 1, "ms")))
        .contains("\"peer\":null", "\"ratio\":null");
  }

  @Test
  void alignsColumnsAndSaysWhichTargetsAreMet() {
    StringWriter text = new StringWriter();
    new Report(Map.of("cores", "2"), List.of(MET, MISSED)).print(new PrintWriter(text));
    assertThat(text.toString()).contains("cores  2");
    List<String> lines = text.toString().lines().toList();
    assertThat(lines).anyMatch(line -> line.endsWith(">= 20.0  yes"));
    assertThat(lines).anyMatch(line -> line.endsWith("<= 0.100  NO"));
  }

  private static Row.Against against(double peerValue, Row.Target target) {
    return new Row.Against("usual", peerValue, target);
  }
}
