package dev.weir.server.slots;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.Http;
import dev.weir.server.http.RunningNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Lists of slots, a page at a time. */
final class ListIT {
  private static final String SLOTS = "/api/v1/slots";

  @RegisterExtension private static final RunningNode node = RunningNode.inMemory(Map.of());

  private static final Http http = node.http();

  @BeforeAll
  static void prepare() {
    for (String name : List.of("paged", "states")) {
      http.post(
          "/admin/rate-limit/config",
          "{\"configName\":\"%s\",\"maxPerWindow\":10,\"windowSize\":\"PT1S\"}".formatted(name));
    }
  }

  @Test
  void losesAndRepeatsNothingWhileSlotsAreAdded() {
    assign("paged", 0, 95);
    List<Object> seen = new ArrayList<>();
    Optional<String> cursor = Optional.of("");
    int pages = 0;
    while (cursor.isPresent()) {
      String from = cursor.get().isEmpty() ? "" : "&cursor=" + cursor.get();
      Http.Answer page = http.get(SLOTS + "?configName=paged&limit=7" + from).ok();
      seen.addAll(ids(page));
      // One lands behind what is still to come; one gives its place in what was read to another.
      assign("paged", 95 + pages, 96 + pages);
      http.delete(SLOTS + "/paged-" + pages);
      cursor = Optional.ofNullable((String) ((Map<?, ?>) page.json()).get("next"));
      pages++;
      assertThat(pages).isLessThan(100);
    }
    assertThat(seen).doesNotHaveDuplicates();
    List<Object> all = IntStream.range(0, 95).<Object>mapToObj(i -> "paged-" + i).toList();
    assertThat(seen).containsAll(all);
  }

  @Test
  void showsWhatIsAskedFor() {
    assign("states", 0, 6);
    http.post(
        SLOTS,
        "{\"eventId\":\"ahead\",\"configName\":\"states\",\"requestedTime\":\"2090-01-01T00:00:00Z\"}");
    http.post(SLOTS + "/states-1/confirm");
    http.delete(SLOTS + "/states-2");
    assertThat(states("")).hasSize(7);
    assertThat(states("&state=all")).hasSize(7);
    assertThat(states("&state=assigned")).hasSize(5).contains("ahead").doesNotContain("states-1");
    assertThat(states("&state=confirmed")).containsExactly("states-1");
    assertThat(states("&state=cancelled")).containsExactly("states-2");
    assertThat(states("&state=reclaimed")).isEmpty();
    assertThat(states("&state=leaked"))
        .containsExactlyInAnyOrder("states-0", "states-3", "states-4", "states-5");
    assertThat(states("&from=2080-01-01T00:00:00Z")).containsExactly("ahead");
    assertThat(states("&to=2080-01-01T00:00:00Z")).hasSize(6);
    assertThat(states("&from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00.000001Z")).hasSize(1);
    assertThat(states("&from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00Z")).isEmpty();
    assertThat(states("&from=2090-01-01T00:00:00Z&to=2026-01-01T00:00:00Z")).isEmpty();
  }

  @Test
  void hasNoNextAfterTheLastSlot() {
    Http.Answer page = http.get(SLOTS + "?configName=default").ok();
    assertThat(((Map<?, ?>) page.json()).containsKey("next")).isFalse();
    assertThat(page.listAt("slots")).isEmpty();
  }

  @Test
  void namesEveryWrongParameter() {
    http.get(SLOTS + "?from=noon&to=1&state=lost&limit=0&cursor=!&color=red")
        .wrong("from", "to", "state", "limit", "cursor", "color");
    for (String limit :
        List.of("0", "-1", "10001", "1.5", "x", "", "99999999999999999999", "%31%30x")) {
      http.get(SLOTS + "?limit=" + limit).wrong("limit");
    }
    for (String name : List.of("", "%00", "a%20b", "-a", "x".repeat(101), "%F0%9F%98%80")) {
      http.get(SLOTS + "?configName=" + name).wrong("configName");
    }
    http.get(SLOTS + "?state=ASSIGNED").wrong("state");
    http.get(SLOTS + "?limit=1&limit=2").wrong("limit");
    http.get(SLOTS + "?configName=unknown").problem(404, "unknown-config");
  }

  @Test
  void refusesCursorsThatItDidNotWrite() {
    for (String text :
        List.of("", "x", "1", ":", "1:", ":a", "x:a", "1:\0", "99999999999999999999:a")) {
      http.get(SLOTS + "?cursor=" + base64(text)).wrong("cursor");
    }
    for (String cursor : List.of("", "!", "%20", "AAA=A", "%00")) {
      http.get(SLOTS + "?cursor=" + cursor).wrong("cursor");
    }
    // Not ours, but as good as one of ours.
    http.get(SLOTS + "?cursor=" + base64(Long.MIN_VALUE + ":a")).ok();
    http.get(SLOTS + "?cursor=" + base64(Long.MAX_VALUE + ":a")).ok();
  }

  private static List<Object> states(String filter) {
    return ids(http.get(SLOTS + "?configName=states" + filter).ok());
  }

  private static List<Object> ids(Http.Answer page) {
    return page.listAt("slots").stream()
        .<Object>map(slot -> ((Map<?, ?>) slot).get("eventId"))
        .toList();
  }

  private static void assign(String config, int from, int until) {
    for (int i = from; i < until; i++) {
      http.post(
              SLOTS,
              """
              {"eventId":"%1$s-%2$d","configName":"%1$s","requestedTime":"2026-01-01T00:00:00Z"}
              """
                  .formatted(config, i))
          .ok();
    }
  }

  private static String base64(String text) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }
}
