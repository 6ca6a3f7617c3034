package dev.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.rest.Http;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Upstreams may speak HTTP/2, in the clear or not. */
@Timeout(value = 1, unit = TimeUnit.MINUTES)
final class GatewayProtocolsIT {
  @Test
  void speaksHttp2InTheClear() throws Exception {
    try (Http2Upstream upstream = new Http2Upstream(Optional.empty());
        TestGateway gateway = new TestGateway("h2c://127.0.0.1:" + upstream.port())) {
      Http.Answer answer = gateway.http().get("/a?b=c");
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.headers().firstValue("x-path")).hasValue("/a?b=c");
      assertThat(upstream.last().headers().get("x-forwarded-for")).isEqualTo("127.0.0.1");
      assertThat(upstream.last().headers().get("host"))
          .isEqualTo("127.0.0.1:" + gateway.address().getPort());
      byte[] large = new byte[20_000_000];
      large[19_999_999] = 7;
      assertThat(
              gateway
                  .http()
                  .send("POST", "/", HttpRequest.BodyPublishers.ofByteArray(large))
                  .body())
          .isEqualTo(large);
    }
  }

  @Test
  void opensNoMoreStreamsThanTheUpstreamTakes() throws Exception {
    try (Http2Upstream upstream = new Http2Upstream(Optional.empty());
        TestGateway gateway = new TestGateway("h2c://127.0.0.1:" + upstream.port());
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<String>> many = new ArrayList<>();
      for (int i = 0; i < 20 * Http2Upstream.MOST_STREAMS; i++) {
        String body = "body " + i;
        many.add(
            () ->
                gateway.http().send("POST", "/", HttpRequest.BodyPublishers.ofString(body)).text());
      }
      int i = 0;
      for (Future<String> each : callers.invokeAll(many)) {
        assertThat(each.get()).isEqualTo("body " + i++);
      }
      assertThat(upstream.connections())
          .isLessThanOrEqualTo(Runtime.getRuntime().availableProcessors());
    }
  }

  @Test
  void answers502WhereTheUpstreamSpeaksOnlyHttp1() throws Exception {
    try (TestUpstream upstream = new TestUpstream((head, in, out) -> false);
        TestGateway gateway = new TestGateway(upstream.address().replace("http:", "h2c:"))) {
      gateway.http().get("/").problem(502, "upstream-unreachable");
      assertThat(upstream.connections()).isOne();
    }
  }

  @Test
  void speaksHttp2ThroughTlsToThoseItTrusts(@TempDir Path folder) throws Exception {
    Path certificate = folder.resolve("cert.pem");
    SslContext tls = tls(folder, certificate);
    try (Http2Upstream upstream = new Http2Upstream(Optional.of(tls));
        TestGateway trusting =
            new TestGateway(Optional.of(certificate), "h2://localhost:" + upstream.port());
        TestGateway doubting = new TestGateway("h2://localhost:" + upstream.port());
        TestGateway misled =
            new TestGateway(Optional.of(certificate), "h2://127.0.0.1:" + upstream.port())) {
      assertThat(trusting.http().get("/a").status()).isEqualTo(200);
      doubting.http().get("/a").problem(502, "upstream-unreachable");
      // A certificate of another name.
      misled.http().get("/a").problem(502, "upstream-unreachable");
    }
  }

  private static SslContext tls(Path folder, Path certificate) throws Exception {
    Path store = folder.resolve("store.p12");
    String password = "for-this-test";
    keytool(
        "-genkeypair -keyalg EC -alias a -dname CN=localhost -ext san=dns:localhost -validity 2"
            + " -storetype PKCS12 -storepass %s -keystore %s".formatted(password, store));
    keytool(
        "-exportcert -rfc -alias a -storepass %s -keystore %s -file %s"
            .formatted(password, store, certificate));
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, password.toCharArray());
    }
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(keys, password.toCharArray());
    return SslContextBuilder.forServer(factory)
        .sslProvider(SslProvider.JDK)
        .applicationProtocolConfig(
            new ApplicationProtocolConfig(
                ApplicationProtocolConfig.Protocol.ALPN,
                ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                ApplicationProtocolNames.HTTP_2))
        .build();
  }

  private static void keytool(String arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(arguments.split(" ")));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
  }
}
