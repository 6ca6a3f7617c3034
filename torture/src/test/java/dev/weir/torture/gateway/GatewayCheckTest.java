package dev.weir.torture.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.torture.HandmadeHistory;
import dev.weir.torture.capability.Findings;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.capability.Round;
import dev.weir.torture.capability.Violation;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.history.FaultNote;
import dev.weir.torture.history.History;
import dev.weir.torture.history.Loss;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Histories that keep or break a promise about the gateway. */
final class GatewayCheckTest {
  private static final String WHOLE =
      "{'id':'%s','whole':true,'length':9,'matches':%s,'kept':true,'problem':''}";
  private static final String OWN =
      "{'id':'','whole':true,'length':9,'matches':false,'kept':true,'problem':'urn:weir:problem:%s'}";

  @TempDir private Path folder;
  private History history;
  private final HandmadeHistory handmade = new HandmadeHistory();

  @BeforeEach
  void open() throws IOException {
    history = new History(folder.resolve("history.ndjson"));
  }

  @AfterEach
  void close() throws IOException {
    history.close();
  }

  private List<Promise> broken() {
    Findings findings = new Findings(EnumSet.allOf(Promise.class));
    new GatewayCheck(new Round("r", null, null, history, Duration.ZERO)).check(findings);
    return findings.violations().stream().map(Violation::promise).distinct().toList();
  }

  private void forward(String rule, String id, String method, int status, String answer) {
    String request = "{'id':'%s','method':'%s','behaviour':'CLOSE','size':9,'hash':1,'cut':false}";
    history.add(
        handmade.add(
            "forward", rule + "/k", request.formatted(id, method), status, answer.formatted(id)));
  }

  private void arrival(String id, boolean isWhole, int hash) {
    history.add(
        handmade.add(
            "arrival", id, "{'whole':%s,'length':9,'hash':%d}".formatted(isWhole, hash), 200, ""));
  }

  private static String whole(boolean matches) {
    return WHOLE.replace("'matches':%s", "'matches':" + matches);
  }

  private static String own(String problem) {
    return OWN.formatted(problem);
  }

  @Test
  void requestsWithinTheLimitAndRefusedOnesKeepAllPromises() {
    for (int i = 0; i < GatewayRule.WINDOW.limit(); i++) {
      arrival("a" + i, true, 1);
      forward("WINDOW", "a" + i, "POST", 200, whole(true));
    }
    forward("WINDOW", "refused", "POST", 429, own("x"));
    forward("WINDOW", "lost", "POST", 0, "no answer");
    arrival("cut", false, 7);
    assertThat(broken()).isEmpty();
  }

  @Test
  void oneArrivalTooManyBreaksG1() {
    for (int i = 0; i <= GatewayRule.WINDOW.limit(); i++) {
      arrival("a" + i, true, 1);
      forward("WINDOW", "a" + i, "POST", 200, whole(true));
    }
    assertThat(broken()).containsExactly(Promise.G1);
  }

  @Test
  void answerToAnotherRequestBreaksG2() {
    forward("FREE", "a", "GET", 200, whole(true).formatted("b"));
    assertThat(broken()).containsExactly(Promise.G2);
  }

  @Test
  void halfABodyThatEndsWellBreaksG2() {
    forward("FREE", "a", "GET", 200, whole(false).replace("'whole':true", "'whole':false"));
    assertThat(broken()).isEmpty();
    forward("FREE", "b", "GET", 200, whole(false));
    assertThat(broken()).containsExactly(Promise.G2);
  }

  @Test
  void answerOfNobodyBreaksG2() {
    forward("FREE", "a", "GET", 502, own("").replace("urn:weir:problem:", ""));
    assertThat(broken()).containsExactly(Promise.G2);
  }

  @Test
  void secondArrivalBreaksG3UnlessTheRequestMayBeRepeated() {
    arrival("a", true, 1);
    arrival("a", true, 1);
    forward("FREE", "a", "GET", 0, "");
    assertThat(broken()).isEmpty();
    arrival("b", true, 1);
    arrival("b", true, 1);
    forward("FREE", "b", "POST", 0, "");
    assertThat(broken()).containsExactly(Promise.G3);
  }

  @Test
  void bodyOfAnotherRequestBreaksG3() {
    arrival("a", true, 2);
    forward("FREE", "a", "POST", 0, "");
    assertThat(broken()).containsExactly(Promise.G3);
  }

  @Test
  void refusedRequestThatArrivesBreaksG4() {
    arrival("a", true, 1);
    forward("FREE", "a", "POST", 503, own("busy"));
    assertThat(broken()).containsExactly(Promise.G4);
  }

  @Test
  void timeoutBeforeItsTimeBreaksG4() {
    forward("FREE", "a", "POST", 504, own("upstream-timeout"));
    assertThat(broken()).containsExactly(Promise.G4);
  }

  @Test
  void unreachableUpstreamBreaksG4UnlessSomethingIsWrong() {
    forward("FREE", "a", "POST", 502, own("upstream-failed"));
    assertThat(broken()).isEmpty();
    String request = "{'id':'b','method':'GET','behaviour':'PLAIN','size':9,'hash':1,'cut':false}";
    Exchange well = handmade.add("forward", "FREE/k", request, 502, own("upstream-unreachable"));
    history.add(well);
    assertThat(broken()).containsExactly(Promise.G4);
    history.add(new FaultNote("cut", 0, well.beginNanos() - 1, Loss.NONE));
    assertThat(broken()).isEmpty();
  }

  @Test
  void moreRequestsThanPlacesAtTheUpstreamBreakG5() {
    for (int i = 0; i <= GatewayRule.PLACES.limit(); i++) {
      assertThat(broken()).isEmpty();
      String request =
          "{'id':'p%d','method':'GET','behaviour':'LATE','size':9,'hash':1,'cut':false}";
      history.add(
          HandmadeHistory.at(
              1, "forward", "PLACES/k", request.formatted(i), 200, whole(true).formatted("p" + i)));
      history.add(HandmadeHistory.at(1, "arrival", "p" + i, "{'whole':true,'hash':1}", 200, ""));
    }
    assertThat(broken()).containsExactly(Promise.G5);
  }

  @Test
  void placeThatIsNotGivenBackBreaksG5() {
    history.add(handmade.add("left of places", "k", "{}", 200, "{'remaining':1}"));
    history.add(handmade.add("left of places", "k", "{}", 200, "{'remaining':2}"));
    assertThat(broken()).isEmpty();
    history.add(handmade.add("left of places", "k2", "{}", 200, "{'remaining':1}"));
    assertThat(broken()).containsExactly(Promise.G5);
  }
}
