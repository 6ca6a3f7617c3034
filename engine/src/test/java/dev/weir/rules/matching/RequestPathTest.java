package dev.weir.rules.matching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules and upstreams interpret a path in the same way. */
final class RequestPathTest {
  @ParameterizedTest
  @CsvSource({
    "/api/orders, /api/orders, /api/orders",
    "/api/orders/, /api/orders/, /api/orders",
    "//api///orders, /api///orders, /api/orders",
    "/.//api/orders, /api/orders, /api/orders",
    "/100%25/a, /100%25/a, /100%/a",
    "/a;v=%21/b, /a;v=%21/b, /a/b",
    "/api/orders?x=/../y, /api/orders, /api/orders",
    "/api/orders?x#y, /api/orders, /api/orders",
    "/a/b/../c, /a/c, /a/c",
    "/a/./b/., /a/b/, /a/b",
    "/a/b/.., /a/, /a",
    "/../../a, /a, /a",
    "/a/%2e%2e/b, /b, /b",
    "/a/.%2E/b, /b, /b",
    "/%61pi/o%72ders, /%61pi/o%72ders, /api/orders",
    "/api;v=1/orders;x, /api;v=1/orders;x, /api/orders",
    "/a%21b, /a%21b, /a!b",
    "/caf%C3%A9, /caf%C3%A9, /café",
    "/, /, /",
    "/..., /..., /...",
    "http://host:80/a/b?c, /a/b, /a/b",
    "http://host, /, /",
    "http://host?x, /, /",
    "*, *, /*",
  })
  void readsWhatMeansTheSameAsTheSame(String target, String sent, String matched) {
    RequestPath path = RequestPath.of(target);
    assertThat(path.text()).isEqualTo(sent);
    assertThat(path.canonical()).isEqualTo(matched);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "api",
        "/a%2Fb",
        "/a%2fb",
        "/a%5Cb",
        "/a\\b",
        "/a%00b",
        "/a%0Ab",
        "/a%7Fb",
        "/a\u0001b",
        "/a b",
        "/a%",
        "/a%4",
        "/a%zz",
        "/a%C3",
        "/a%FF",
        "/aéb",
        "/a;é/b",
        "/a;x=\\b",
        "/a; /b",
        "/a/..;/b",
        "/a/.;x=1/b",
        "/a/%2e%2e;/b",
        "/a/..%3bx/b",
        "/a/%252e%252e/b",
        "/a//../b",
        "/a/;x/../b",
        "/free;%2f..%2flogin",
        "/free;%2F..%2Flogin",
        "/free;x=%5c..%5clogin",
        "/free;%252f..%252flogin",
        "/free%252f..%252flogin",
        "/free%25%32%66login",
        "/%256cogin",
        "/free;%00",
        "/login%3Bx",
        "/free;a%3bb",
        "/free;%",
        "/free;%ff",
        "/;x/login",
        "/free/;x/login",
        "http://free\\login",
        "http://free\\@h/login",
        "free/x://h/login",
        "1http://h/login",
        "http://fr ee/login",
        "/a#b",
        "/a#b/c?d",
        "http://host#/a",
      })
  void refusesWhatCouldBeReadInTwoWays(String target) {
    assertThatThrownBy(() -> RequestPath.of(target)).isInstanceOf(AmbiguousPathException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/a/../b",
        "/a/./b",
        "/a/%2e%2e/b",
        "/a/.%2E",
        "/..",
        "/.",
        "/a/..;/b",
        "//a/b",
        "///a"
      })
  void refusesDotsWhereTheyStay(String target) {
    assertThatThrownBy(() -> RequestPath.ofUnchanged(target))
        .isInstanceOf(AmbiguousPathException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/", "/a/b?x=../y", "/a/...", "/.well-known/x", "/%61pi/o%72ders", "/a//b/"})
  void readsOthersThatStayAsThoseThatAreSentOn(String target) {
    assertThat(RequestPath.ofUnchanged(target)).isEqualTo(RequestPath.of(target));
  }

  @Test
  void refusesWhatIsTooLong() {
    assertThatThrownBy(() -> RequestPath.of("/" + "a".repeat(RequestPath.MAX_LENGTH)))
        .isInstanceOf(AmbiguousPathException.class);
    assertThatThrownBy(() -> RequestPath.of("/a".repeat(RequestPath.MAX_SEGMENTS + 1)))
        .isInstanceOf(AmbiguousPathException.class);
  }

  /**
   * The next server reads the forwarded path just as it was read here: nothing is left to decode.
   */
  @Property
  void whatIsSentOnIsReadAgainAsTheSame(@ForAll("targets") String target) {
    RequestPath once;
    try {
      once = RequestPath.of(target);
    } catch (AmbiguousPathException e) {
      return;
    }
    assertThat(RequestPath.of(once.text())).isEqualTo(once);
    assertThat(once.segments()).doesNotContain("", ".", "..").allMatch(s -> s.indexOf('/') < 0);
  }

  /**
   * Programs that decode, resolve and cut off parameters in other orders read the same segments in
   * what is let through.
   */
  @Property(tries = 6_000, seed = "28")
  void whatIsSentOnIsReadAlikeByAll(@ForAll("hostileTargets") String target) {
    for (boolean mayResolve : new boolean[] {true, false}) {
      RequestPath path;
      try {
        path = mayResolve ? RequestPath.of(target) : RequestPath.ofUnchanged(target);
      } catch (AmbiguousPathException e) {
        continue;
      }
      String sent = mayResolve ? path.text() : target;
      for (PathReaders reader : PathReaders.values()) {
        reader
            .read(sent)
            .ifPresent(
                read ->
                    assertThat(read)
                        .as("%s reads %s", reader, sent)
                        .isEqualTo(reader.withParameters() ? whole(path) : path.segments()));
      }
    }
  }

  /** Returns the segments with their parameters, as programs that know none read them. */
  private static List<String> whole(RequestPath path) {
    return Stream.of(path.text().split("/", -1))
        .filter(segment -> !segment.isEmpty())
        .map(PathReaders::decoded)
        .toList();
  }

  @Provide
  Arbitrary<String> hostileTargets() {
    return Arbitraries.of(
            "/",
            "/",
            "//",
            "free",
            "login",
            "..",
            ".",
            ";",
            ";x=1",
            "%2f",
            "%2F",
            "%5c",
            "%252f",
            "%255c",
            "%2e",
            "%252e",
            "%25",
            "2f",
            "%3b",
            "%3f",
            "%23",
            "%6c",
            "%256c",
            "\\",
            "?",
            "%00",
            "%c0%af",
            "%c3%a9",
            "+",
            "@",
            ":",
            "http://h")
        .list()
        .ofMaxSize(9)
        .map(parts -> "/" + String.join("", parts));
  }

  @Provide
  Arbitrary<String> targets() {
    return Arbitraries.of(
            "/", "/", "a", "b", ".", "..", "%2e", "%2E", "%2F", "%61", ";x", "%25", "?q", "\\", "é")
        .list()
        .ofMaxSize(12)
        .map(parts -> "/" + String.join("", parts));
  }

  @Test
  void aPatternKnowsItsKinds() {
    PathPattern pattern = PathPattern.of("/api/*/{id}/caf%C3%A9/a b/**");
    assertThat(pattern.isDeep()).isTrue();
    assertThat(pattern.segments())
        .isEqualTo(
            List.of(
                new PathPattern.Segment.Literal("api"),
                new PathPattern.Segment.Any(),
                new PathPattern.Segment.Any(),
                new PathPattern.Segment.Literal("café"),
                new PathPattern.Segment.Literal("a b")));
    assertThat(PathPattern.of("/café").segments())
        .isEqualTo(PathPattern.of("/caf%c3%a9").segments());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", "api", "/**/a", "/a*", "/{id", "/{a}b", "/a?b", "/a;b", "/a/../b", "/a%2Fb", "/***"
      })
  void whatIsNoPatternIsRefused(String text) {
    assertThatThrownBy(() -> PathPattern.of(text)).isInstanceOf(IllegalArgumentException.class);
  }
}
