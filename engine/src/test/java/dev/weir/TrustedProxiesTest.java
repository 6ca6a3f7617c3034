package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.address.internal.ClientAddress;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A forged header does not change the address of a client. */
final class TrustedProxiesTest {
  private static final TrustedProxies PROXIES =
      TrustedProxies.of(List.of("10.0.0.0/8", "192.0.2.7", "2001:db8::/33"));
  private static final String PROXY = "10.1.2.3";

  private static String client(String peer, String forwardedFor) {
    return PROXIES.client(peer, List.of(), List.of(forwardedFor));
  }

  private static String forwarded(String... lines) {
    return PROXIES.client(PROXY, List.of(lines), List.of());
  }

  @Test
  void whoIsNoProxyIsBelievedNothing() {
    assertThat(client("203.0.113.9", "1.2.3.4")).isEqualTo("203.0.113.9");
    assertThat(TrustedProxies.NONE.client("127.0.0.1", List.of(), List.of("1.2.3.4")))
        .isEqualTo("127.0.0.1");
  }

  @Test
  void theClientIsTheFirstFromTheRightThatIsNoProxy() {
    assertThat(client(PROXY, "203.0.113.9")).isEqualTo("203.0.113.9");
    assertThat(client(PROXY, "1.2.3.4, 203.0.113.9, 192.0.2.7")).isEqualTo("203.0.113.9");
    assertThat(client("2001:db8::1", "203.0.113.9")).isEqualTo("203.0.113.9");
    assertThat(client("2001:db8:8000::1", "203.0.113.9")).isEqualTo("2001:db8:8000::1");
    assertThat(PROXIES.client(PROXY, List.of(), List.of("1.2.3.4", "203.0.113.9, 10.9.9.9")))
        .isEqualTo("203.0.113.9");
  }

  @Test
  void ifAllAreProxiesTheFarthestCounts() {
    assertThat(client(PROXY, "10.0.0.1, 10.0.0.2")).isEqualTo("10.0.0.1");
    assertThat(PROXIES.client(PROXY, List.of(), List.of())).isEqualTo(PROXY);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"unknown", "_hidden", "", "evil.example", "1.2.3", "999.1.1.1", "1.2.3.4.5"})
  void whomAProxyDoesNotNameIsCountedAsTheProxy(String hop) {
    assertThat(client(PROXY, "1.2.3.4, " + hop)).isEqualTo(PROXY);
    assertThat(client(PROXY, "1.2.3.4, " + hop + ", 10.7.7.7")).isEqualTo("10.7.7.7");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "for=203.0.113.9!203.0.113.9",
        "for=1.2.3.4, For=\"203.0.113.9:4711\";proto=https!203.0.113.9",
        "proto=http;for=\"[2001:db9::1]:80\";by=x!2001:db9:0:0:0:0:0:1",
        "for=\"1.2.3.4, 5.6.7.8\"!10.1.2.3",
        "proto=https!10.1.2.3",
        "for=unknown!10.1.2.3",
      })
  void readsForwarded(String line, String client) {
    assertThat(forwarded(line)).isEqualTo(client);
  }

  /** The header of a client with the address that the proxy appended. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.2.3.4:\"",
        "\"1.2.3.4",
        "[2001:db9::1]\"",
        "[2001:db9::1]:\"",
        "1.2.3.4;by=\"x",
        "\\\"",
      })
  void quotesOfAClientDoNotReachWhatTheProxyAdds(String made) {
    assertThat(client(PROXY, made + ", 203.0.113.9")).isEqualTo("203.0.113.9");
    assertThat(forwarded("for=" + made + ", for=203.0.113.9")).isEqualTo("203.0.113.9");
    assertThat(forwarded("for=1.2.3.4;by=" + made + ", for=\"[2001:db9::1]:80\""))
        .isEqualTo("2001:db9:0:0:0:0:0:1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.2.3.4:\"",
        "1.2.3.4:x",
        "1.2.3.4:",
        "1.2.3.4:123456",
        "[2001:db9::1]x",
        "[2001:db9::1",
        "\"1.2.3.4\"",
        "1.2.3.4 5",
      })
  void addressesWithAnythingBehindThemAreNone(String hop) {
    assertThat(client(PROXY, hop)).isEqualTo(PROXY);
  }

  @Test
  void twoStoriesAreNone() {
    assertThat(PROXIES.client(PROXY, List.of("for=1.2.3.4"), List.of("203.0.113.9")))
        .isEqualTo(PROXY);
    assertThat(PROXIES.client(PROXY, List.of("for=203.0.113.9"), List.of("1.1.1.1, 203.0.113.9")))
        .isEqualTo("203.0.113.9");
  }

  @Test
  void anEndlessHeaderIsReadToABound() {
    String many = String.join(",", Collections.nCopies(10_000, "10.0.0.1"));
    assertThat(client(PROXY, "1.2.3.4," + many)).isEqualTo("10.0.0.1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "example.org",
        "10.0.0.0/33",
        "10.0.0.0/-1",
        "::/129",
        "10.0.0/8",
        "10.0.0.0/8/8"
      })
  void whatIsNoNetworkIsRefused(String text) {
    assertThatThrownBy(() -> TrustedProxies.of(List.of(text)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void addressesOfOneCustomerAreCountedAsOne() {
    assertThat(ClientAddress.counted("2001:db8:1:2:3:4:5:6"))
        .isEqualTo(ClientAddress.counted("2001:db8:1:2::9"))
        .isNotEqualTo(ClientAddress.counted("2001:db8:1:3::9"));
    assertThat(ClientAddress.counted("::ffff:192.0.2.1")).isEqualTo("192.0.2.1");
    assertThat(ClientAddress.counted("192.0.2.1")).isEqualTo("192.0.2.1");
  }
}
