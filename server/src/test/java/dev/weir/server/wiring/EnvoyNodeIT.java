package dev.weir.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.wiring.Node;
import dev.weir.server.envoy.node.EnvoySetting;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Envoy's rate limit service as a part of a whole node. */
final class EnvoyNodeIT {
  private static final RateLimitRequest OF_API =
      RateLimitRequest.newBuilder()
          .setDomain("edge")
          .addDescriptors(
              RateLimitDescriptor.newBuilder()
                  .addEntries(RateLimitDescriptor.Entry.newBuilder().setKey("rule").setValue("api"))
                  .addEntries(
                      RateLimitDescriptor.Entry.newBuilder().setKey("user").setValue("101")))
          .build();

  @Test
  void countsWithTheOtherWaysIn() throws Exception {
    try (Node node = TestNode.inMemory(Map.of(EnvoySetting.PORT, "0"))) {
      post(
          node,
          "/api/admin/rules",
          "{\"name\":\"api\",\"allowedRequests\":2,\"windowSeconds\":3600}");
      assertThat(post(node, "/api/v1/check", "{\"rule\":\"api\",\"key\":\"user=101\"}"))
          .isEqualTo(200);
      ManagedChannel channel = channel(node);
      try {
        RateLimitServiceGrpc.RateLimitServiceBlockingStub envoy =
            RateLimitServiceGrpc.newBlockingStub(channel);
        assertThat(envoy.shouldRateLimit(OF_API))
            .extracting(
                RateLimitResponse::getOverallCode,
                response -> response.getStatuses(0).getLimitRemaining())
            .containsExactly(Code.OK, 0);
        assertThat(envoy.shouldRateLimit(OF_API).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
      } finally {
        channel.shutdownNow();
      }
      assertThat(post(node, "/api/v1/check", "{\"rule\":\"api\",\"key\":\"user=101\"}"))
          .isEqualTo(429);
    }
  }

  @Test
  void opensToClientKeysAndTheAdminToken() {
    try (Node node =
        TestNode.inMemory(
            Map.of(
                EnvoySetting.PORT, "0",
                ServerSetting.ADMIN_TOKEN, "token-of-administrators",
                ServerSetting.CLIENT_KEYS, "key-of-the-first-client, key-of-the-second-client"))) {
      ManagedChannel channel = channel(node);
      try {
        for (String key :
            new String[] {
              "key-of-the-first-client", "key-of-the-second-client", "token-of-administrators"
            }) {
          assertThat(showing(channel, key).shouldRateLimit(OF_API).getOverallCode())
              .isEqualTo(Code.OK);
        }
        assertThatThrownBy(() -> showing(channel, "three").shouldRateLimit(OF_API))
            .isInstanceOfSatisfying(
                StatusRuntimeException.class,
                failure ->
                    assertThat(failure.getStatus().getCode())
                        .isEqualTo(Status.Code.PERMISSION_DENIED));
      } finally {
        channel.shutdownNow();
      }
    }
  }

  @Test
  void isNotThereUnlessAsked() {
    try (Node node = TestNode.inMemory(Map.of())) {
      assertThat(node.address("envoy")).isEmpty();
    }
  }

  @Test
  void refusesToListenForEverybodyWithoutKeys() {
    assertThatThrownBy(
            () -> TestNode.inMemory(Map.of(EnvoySetting.PORT, "0", EnvoySetting.HOST, "0.0.0.0")))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("weir.grpc.host")
        .hasMessageContaining("weir.client-keys");
  }

  /** The address of the gRPC port decides, not that of the API. */
  @Test
  void otherMachinesNeedAKeyUnlessAnonymousClientsAreAllowed() {
    try (Node node =
        TestNode.inMemory(
            Map.of(
                EnvoySetting.PORT, "0",
                EnvoySetting.HOST, "0.0.0.0",
                ServerSetting.CLIENT_KEYS, "key-of-the-first-client"))) {
      ManagedChannel channel = channel(node);
      try {
        assertThatThrownBy(
                () -> RateLimitServiceGrpc.newBlockingStub(channel).shouldRateLimit(OF_API))
            .isInstanceOfSatisfying(
                StatusRuntimeException.class,
                failure ->
                    assertThat(failure.getStatus().getCode())
                        .isEqualTo(Status.Code.UNAUTHENTICATED));
      } finally {
        channel.shutdownNow();
      }
    }
    try (Node node =
        TestNode.inMemory(
            Map.of(
                EnvoySetting.PORT, "0",
                EnvoySetting.HOST, "0.0.0.0",
                ServerSetting.ALLOW_ANONYMOUS_CLIENTS, "true"))) {
      ManagedChannel channel = channel(node);
      try {
        assertThat(
                RateLimitServiceGrpc.newBlockingStub(channel)
                    .shouldRateLimit(OF_API)
                    .getOverallCode())
            .isEqualTo(Code.OK);
      } finally {
        channel.shutdownNow();
      }
    }
  }

  @Test
  void saysWhichPortIsTaken() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThatThrownBy(
              () -> TestNode.inMemory(Map.of(EnvoySetting.PORT, "" + taken.getLocalPort())))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessageContaining("weir.grpc.port");
    }
  }

  private static ManagedChannel channel(Node node) {
    return NettyChannelBuilder.forAddress(
            new InetSocketAddress(
                InetAddress.getLoopbackAddress(), node.address("envoy").orElseThrow().getPort()))
        .usePlaintext()
        .build();
  }

  private static RateLimitServiceGrpc.RateLimitServiceBlockingStub showing(
      ManagedChannel channel, String key) {
    Metadata headers = new Metadata();
    headers.put(
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + key);
    return RateLimitServiceGrpc.newBlockingStub(channel)
        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  private static int post(Node node, String path, String body) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client
          .send(
              HttpRequest.newBuilder(node.address().resolve(path))
                  .header("Content-Type", "application/json")
                  .POST(HttpRequest.BodyPublishers.ofString(body))
                  .build(),
              BodyHandlers.discarding())
          .statusCode();
    }
  }
}
