package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Addresses are parsed, invalid ones are refused, and passwords are never shown. */
final class RedisSettingsTest {
  private static final String SECRET = "tr0ub4dor";

  @Test
  void readsEachKindOfAddress() {
    RedisURI single = RedisAddress.of("redis://weir:tr%40p@one:6380/2").servers().getFirst();
    assertThat(single.getHost()).isEqualTo("one");
    assertThat(single.getPort()).isEqualTo(6380);
    assertThat(single.getDatabase()).isEqualTo(2);
    assertThat(single.isSsl()).isFalse();

    assertThat(RedisAddress.of("rediss://one").servers().getFirst().isSsl()).isTrue();

    RedisURI sentinel =
        RedisAddress.of("redis-sentinel://one:26379,two:26380#main").servers().getFirst();
    assertThat(sentinel.getSentinelMasterId()).isEqualTo("main");
    assertThat(sentinel.getSentinels()).extracting(RedisURI::getHost).containsExactly("one", "two");

    RedisAddress cluster = RedisAddress.of("redis-cluster://u:p@one:7000,two:7001");
    assertThat(cluster.isCluster()).isTrue();
    assertThat(cluster.servers()).extracting(RedisURI::getPort).containsExactly(7000, 7001);
    assertThat(cluster.servers()).allMatch(node -> node.getCredentialsProvider() != null);
    assertThat(RedisAddress.of("rediss-cluster://one").servers().getFirst().isSsl()).isTrue();
  }

  @Test
  void refusesWhatIsNoAddressWithoutRepeatingIt() {
    for (String uri :
        List.of(
            "",
            SECRET,
            "http://u:" + SECRET + "@one",
            "redis://u:" + SECRET,
            "redis://u:" + SECRET + "@",
            "redis://u:" + SECRET + "@one:port",
            "redis://u:" + SECRET + " @one",
            "redis-sentinel://u:" + SECRET + "@one",
            "redis-cluster://u:" + SECRET + "@one,,two")) {
      assertThatThrownBy(() -> RedisSettings.of(uri))
          .as(uri)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("uri must be")
          .hasNoCause()
          .extracting(Throwable::getMessage)
          .asString()
          .doesNotContain(SECRET);
    }
  }

  @Test
  void refusesWhatCannotBe() {
    RedisSettings settings = RedisSettings.of("redis://one");
    assertThatThrownBy(() -> settings.withCommandTimeout(Duration.ZERO))
        .hasMessageContaining("commandTimeout");
    assertThatThrownBy(() -> settings.withPrefix("{a}")).hasMessageContaining("prefix");
    assertThatThrownBy(
            () ->
                new RedisSettings(
                    "redis://one", Duration.ofSeconds(1), "weir", 0, Optional.empty()))
        .hasMessageContaining("maxWaiting");
  }

  @Test
  void refusesToTrustWhatHoldsNoCertificate(@TempDir Path folder) throws IOException {
    RedisSettings settings = RedisSettings.of("rediss://one");
    Path empty = Files.writeString(folder.resolve("empty.pem"), "");
    Path other = Files.writeString(folder.resolve("other.pem"), "-----BEGIN CERTIFICATE-----\n?");
    for (Path file : List.of(folder.resolve("none.pem"), empty, other)) {
      assertThatThrownBy(() -> settings.withTrust(file))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("trust must be a PEM file of certificates, not " + file);
    }
  }

  @Test
  void tellsNoPassword() {
    RedisSettings settings = RedisSettings.of("redis://weir:" + SECRET + "@one:6380");
    assertThat(settings.toString()).contains("one:6380").doesNotContain(SECRET);
  }
}
