package dev.weir.payments.simulator.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.payments.simulator.calls.CallStatistics;
import dev.weir.payments.simulator.calls.CallTally;
import java.io.StringReader;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

final class ReportChartTest {

  @Test
  void drawsTheCeilingAtItsHeight() throws Exception {
    Document svg = svg(section("even", 50, Runs.even(40, 60)));
    double ceiling = heightOf(only(svg, "ceiling"));
    double peak = heightOf(only(svg, "peak"));
    double ground = gridHeights(svg).getFirst();
    // 40 of 50, measured from the ground.
    assertThat((ground - peak) / (ground - ceiling)).isBetween(0.799, 0.801);
    assertThat(texts(svg))
        .contains("ceiling 50")
        .anyMatch(text -> text.contains("ceiling of 50 calls a second held"));
    assertThat(byClass(svg, "above")).isEmpty();
  }

  @Test
  void showsSecondsAboveTheCeiling() throws Exception {
    Document svg = svg(section("burst", 40, Runs.burst(40, 20)));
    assertThat(byClass(svg, "above")).hasSize(2); // The column, and its sample in the legend.
    assertThat(texts(svg))
        .contains("above the ceiling")
        .anyMatch(text -> text.contains("was exceeded"));
  }

  @Test
  void canBeReadWithoutSeeingIt() throws Exception {
    Document svg = svg(section("Feed 7", 50, Runs.even(40, 3)));
    Element root = svg.getDocumentElement();
    assertThat(root.getAttribute("role")).isEqualTo("img");
    assertThat(root.getAttribute("aria-labelledby")).isEqualTo("report-title report-description");
    assertThat(textOf(svg, "title")).isNotBlank();
    assertThat(textOf(svg, "desc"))
        .isEqualTo(
            "Feed 7: The ceiling of 50 calls a second held: no sliding second had more than 40"
                + " calls.");
  }

  @Test
  void containsNothingThatRunsOrIsFetched() throws Exception {
    String text =
        ReportChart.of(
            List.of(section("<script>alert(1)</script>&\"'\u0000\uD800", 50, Runs.even(5, 5))));
    assertThat(parse(text).getElementsByTagName("script").getLength()).isZero();
    assertThat(text.replace("http://www.w3.org/2000/svg", ""))
        .doesNotContainPattern("(?i)href|url\\(|https?:|<script|\\son[a-z]+=|@import");
  }

  @Test
  void drawsTheSameInEveryLocale() {
    List<ReportSection> run = List.of(section("even", 50, Runs.even(40, 60)));
    String usual = ReportChart.of(run);
    Locale before = Locale.getDefault();
    try {
      Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
      assertThat(ReportChart.of(run)).isEqualTo(usual);
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void followsDarkMode() {
    assertThat(ReportChart.of(List.of())).contains("@media (prefers-color-scheme: dark)");
  }

  @Test
  void drawsWhatThereIsWhenThereIsNothing() throws Exception {
    Document nothing = parse(ReportChart.of(List.of()));
    assertThat(textOf(nothing, "desc")).isEqualTo("Nothing was run.");
    Document noCalls = svg(section("quiet", 50, new CallTally().statistics()));
    assertThat(texts(noCalls)).contains("There were no calls.");
    assertThat(byClass(noCalls, "peak")).hasSize(0);
    assertThat(byClass(noCalls, "ceiling")).hasSize(1);
  }

  @Test
  void showsRunsOneBelowTheOther() throws Exception {
    Document svg =
        svg(section("hard", 50, Runs.even(40, 60)), section("smooth", 50, Runs.even(25, 60)));
    assertThat(texts(svg)).contains("hard", "smooth");
    assertThat(byClass(svg, "ceiling")).hasSize(2);
  }

  @Test
  void drawsTheCallsOfAFeedWithoutTheirPeaks() throws Exception {
    FeedCounts feed = new FeedCounts(4, 0, 0, 4, 0, 0, Optional.empty(), Optional.empty());
    CallStatistics calls =
        FeedCalls.statistics(
            feed,
            List.of(
                new FeedCalls.CallCount(Runs.START, 3),
                new FeedCalls.CallCount(Runs.START.plusSeconds(100), 1)),
            Duration.ofSeconds(10),
            3,
            0);
    assertThat(calls.calls()).isEqualTo(4);
    assertThat(calls.columns())
        .extracting(CallStatistics.Column::calls)
        .hasSize(11)
        .startsWith(3L, 0L)
        .endsWith(0L, 1L);
    Document svg = svg(new ReportSection("feed", 50, calls, Optional.of(feed)));
    assertThat(byClass(svg, "peak")).isEmpty();
    assertThat(byClass(svg, "calls")).hasSize(2);
    assertThat(texts(svg)).contains("calls a second, mean of each 10 s");
  }

  @Property(tries = 200)
  void losesNoCallOfAFeedHoweverLongItTakes(
      @ForAll @IntRange(min = 1, max = 300) int counts,
      @ForAll @LongRange(min = 1, max = 1_000_000) long gapIntervals,
      @ForAll @IntRange(min = 1, max = 60) int intervalSeconds) {
    List<FeedCalls.CallCount> given = new ArrayList<>();
    for (int i = 0; i < counts; i++) {
      given.add(
          new FeedCalls.CallCount(
              Runs.START.plusSeconds(i * gapIntervals * intervalSeconds), i + 1));
    }
    FeedCounts feed = new FeedCounts(1, 0, 0, 1, 0, 0, Optional.empty(), Optional.empty());
    CallStatistics calls =
        FeedCalls.statistics(feed, given, Duration.ofSeconds(intervalSeconds), 1, 0);
    assertThat(calls.columns()).hasSizeLessThanOrEqualTo(512);
    assertThat(calls.columns().stream().mapToLong(CallStatistics.Column::calls).sum())
        .isEqualTo(counts * (counts + 1L) / 2);
  }

  @Property(tries = 200)
  void scalesHaveFewRoundSteps(
      @ForAll @LongRange(max = 1_000_000_000) long count,
      @ForAll @LongRange(min = 1, max = 1_000_000_000) long seconds,
      @ForAll @LongRange(max = 4_000_000_000L) long start,
      @ForAll("zones") String zone) {
    CountScale counts = new CountScale(count);
    assertThat(counts.max()).isGreaterThan(count);
    assertThat(counts.max() / counts.step()).isBetween(1L, 5L);
    List<TimeScale.Tick> ticks = new TimeScale(start, seconds, ZoneId.of(zone)).ticks();
    assertThat(ticks).hasSizeLessThanOrEqualTo(9);
    assertThat(ticks)
        .allMatch(tick -> tick.epochSecond() >= start && tick.epochSecond() <= start + seconds);
  }

  @Provide
  Arbitrary<String> zones() {
    return Arbitraries.of("UTC", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe");
  }

  @Test
  void timesAreRoundInTheirZone() {
    long midnight = Instant.parse("2026-06-01T18:30:00Z").getEpochSecond();
    assertThat(new TimeScale(midnight - 7_200, 28_800, ZoneId.of("Asia/Kolkata")).ticks())
        .extracting(TimeScale.Tick::label)
        .containsExactly(
            "22:00", "23:00", "00:00", "01:00", "02:00", "03:00", "04:00", "05:00", "06:00");
  }

  private static ReportSection section(String title, int ceiling, CallStatistics calls) {
    return new ReportSection(title, ceiling, calls, Optional.empty());
  }

  private static Document svg(ReportSection... sections) throws Exception {
    return parse(ReportChart.of(List.of(sections)));
  }

  private static Document parse(String xml) throws Exception {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
    factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
    return factory.newDocumentBuilder().parse(new InputSource(new StringReader(xml)));
  }

  private static List<Element> byClass(Document svg, String kind) {
    NodeList all = svg.getElementsByTagName("*");
    List<Element> found = new ArrayList<>();
    for (int i = 0; i < all.getLength(); i++) {
      if (all.item(i) instanceof Element element && element.getAttribute("class").equals(kind)) {
        found.add(element);
      }
    }
    return found;
  }

  private static Element only(Document svg, String kind) {
    return byClass(svg, kind).getFirst();
  }

  /** Returns the height at which a path begins. */
  private static double heightOf(Element path) {
    return Double.parseDouble(path.getAttribute("d").split("[ HV]", -1)[1]);
  }

  private static List<Double> gridHeights(Document svg) {
    return byClass(svg, "grid").stream().map(ReportChartTest::heightOf).toList();
  }

  private static List<String> texts(Document svg) {
    NodeList all = svg.getElementsByTagName("text");
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < all.getLength(); i++) {
      texts.add(all.item(i).getTextContent());
    }
    return texts;
  }

  private static String textOf(Document svg, String name) {
    return svg.getElementsByTagName(name).item(0).getTextContent();
  }
}
