package dev.weir.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.Http;
import dev.weir.server.http.RawHttp;
import dev.weir.server.http.RunningNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of the page. */
final class PageIT {
  @RegisterExtension static final RunningNode NODE = RunningNode.inMemory(Map.of());

  private final Http http = NODE.http();

  @Test
  void thePageIsAtTheRootUnderAStrictPolicy() {
    Http.Answer page = http.get("/");
    assertThat(page.status()).isEqualTo(200);
    assertThat(page.header("content-type")).hasValue("text/html; charset=utf-8");
    assertThat(page.text()).containsIgnoringCase("<!doctype html>");
    assertThat(page.header("content-security-policy"))
        .hasValue(
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
                + " img-src 'self' data:; font-src 'self'; frame-ancestors 'none';"
                + " base-uri 'none'; form-action 'self'");
    assertThat(page.header("x-content-type-options")).hasValue("nosniff");
    assertThat(page.header("referrer-policy")).hasValue("no-referrer");
    assertThat(page.header("cross-origin-opener-policy")).hasValue("same-origin");
    assertThat(page.header("cross-origin-resource-policy")).hasValue("same-origin");
    assertThat(page.header("cache-control")).hasValue("no-cache");
    assertThat(http.get("/ui/index.html").body()).isEqualTo(page.body());
  }

  @Test
  void whatHasNotChangedIsNotSentAgain() {
    String tag = http.get("/").header("etag").orElseThrow();
    for (String known : new String[] {tag, "W/" + tag, "\"other\", " + tag, "*"}) {
      Http.Answer again = http.with("If-None-Match", known).get("/");
      assertThat(again.status()).as(known).isEqualTo(304);
      assertThat(again.body()).isEmpty();
      assertThat(again.header("etag")).hasValue(tag);
    }
    assertThat(http.with("If-None-Match", "\"other\"").get("/").status()).isEqualTo(200);
  }

  @Test
  void isCompressedForThoseWhoTakeIt() throws IOException {
    Http.Answer plain = http.get("/");
    Http.Answer packed = http.with("Accept-Encoding", "br, gzip;q=0.8").get("/");
    assertThat(packed.header("content-encoding")).hasValue("gzip");
    assertThat(packed.header("vary")).hasValue("Accept-Encoding");
    assertThat(packed.header("etag")).isNotEqualTo(plain.header("etag"));
    assertThat(new GZIPInputStream(new ByteArrayInputStream(packed.body())).readAllBytes())
        .isEqualTo(plain.body());
    assertThat(http.with("Accept-Encoding", "gzip;q=0").get("/").header("content-encoding"))
        .isEmpty();
    assertThat(plain.header("content-encoding")).isEmpty();
  }

  @Test
  void aTagNamesTheBytesOfOneForm() {
    String plain = http.get("/").header("etag").orElseThrow();
    String packed = http.with("Accept-Encoding", "gzip").get("/").header("etag").orElseThrow();
    assertThat(packed).isNotEqualTo(plain);
    assertThat(http.with("Accept-Encoding", "gzip", "If-None-Match", packed).get("/").status())
        .isEqualTo(304);
    assertThat(http.with("Accept-Encoding", "gzip", "If-None-Match", plain).get("/").status())
        .isEqualTo(200);
    for (String other : new String[] {"deflate", "*", "snappy, deflate;q=0.5"}) {
      Http.Answer page = http.with("Accept-Encoding", other).get("/");
      assertThat(page.header("content-encoding")).as(other).isEmpty();
      assertThat(page.header("etag")).as(other).hasValue(plain);
    }
  }

  @Test
  void theHeadOfAFileSaysHowLongItIs() throws IOException {
    for (String path : new String[] {"/", "/ui/app.js"}) {
      Http.Answer file = http.get(path);
      String head =
          RawHttp.exchange(
              NODE.address(),
              "HEAD %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n"
                  .formatted(path, NODE.address().getAuthority()));
      assertThat(head)
          .startsWith("HTTP/1.1 200 ")
          .containsIgnoringCase("\r\ncontent-length: %d\r\n".formatted(file.body().length))
          .endsWith("\r\n\r\n");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/ui/../openapi.yaml",
        "/ui/%2e%2e/openapi.yaml",
        "/ui/..%2fopenapi.yaml",
        "/ui/..%5copenapi.yaml",
        "/ui/vendor/../../application.properties",
        "/ui//index.html",
        "/ui/./index.html",
        "/ui/index.html/",
        "/ui/index.html%00.js",
        "/ui/index%2ehtml",
        "/ui/.html",
        "/ui/vendor",
        "/ui/",
        "/ui",
        "/ui/no-such-file.js",
        // A node in memory has neither of these parts, although their jars are there.
        "/ui/pages/notifications.js",
        "/ui/pages/notifications/user-limit.js",
        "/ui/pages/payments.js",
        "/ui/dashboard-pages/payments.js"
      })
  void nothingElseIsAFile(String target) throws IOException {
    String answer =
        RawHttp.exchange(
            NODE.address(),
            "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n"
                .formatted(target, NODE.address().getAuthority()));
    assertThat(answer).as(target).containsPattern("^HTTP/1.1 (400|404) ");
    assertThat(answer).doesNotContain("openapi:", "micronaut.", "<h1>");
  }

  @Test
  void theDocumentationStaysWhereItWas() {
    assertThat(http.get("/docs/index.html").status()).isEqualTo(200);
    assertThat(http.get("/docs/index.html").header("content-security-policy")).isPresent();
  }
}
