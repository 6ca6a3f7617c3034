package dev.weir.benchmarks.services;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import com.google.protobuf.UnknownFieldSet;
import dev.weir.benchmarks.FreePort;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Gubernator as a cluster of one node, which counts in memory. */
final class Gubernator implements Service {
  private static final String LIMIT = "1000000000";
  private static final String HOUR_MILLIS = "3600000";

  private final PeerProcess process;
  private final URI http;
  private final int grpcPort;

  private Gubernator(PeerProcess process, URI http, int grpcPort) {
    this.process = process;
    this.http = http;
    this.grpcPort = grpcPort;
  }

  static Gubernator start(Path program) throws IOException, InterruptedException {
    int httpPort = FreePort.find();
    int grpcPort = FreePort.find();
    String gossip = "127.0.0.1:" + FreePort.find();
    Map<String, String> settings =
        Map.of(
            "GUBER_HTTP_ADDRESS",
            "127.0.0.1:" + httpPort,
            "GUBER_GRPC_ADDRESS",
            "127.0.0.1:" + grpcPort,
            "GUBER_ADVERTISE_ADDRESS",
            "127.0.0.1:" + grpcPort,
            "GUBER_PEER_DISCOVERY_TYPE",
            "member-list",
            "GUBER_MEMBERLIST_BIND_ADDRESS",
            gossip,
            "GUBER_MEMBERLIST_ADDRESS",
            gossip,
            "GUBER_MEMBERLIST_KNOWN_NODES",
            gossip,
            "GUBER_LOG_LEVEL",
            "error",
            "OTEL_TRACES_EXPORTER",
            "none");
    PeerProcess process =
        PeerProcess.start(List.of(program.toString()), settings, List.of(httpPort, grpcPort));
    return new Gubernator(
        process, URI.create("http://127.0.0.1:" + httpPort + "/v1/GetRateLimits"), grpcPort);
  }

  @Override
  public String name() {
    return "Gubernator";
  }

  @Override
  public Optional<HttpCall> http() {
    return Optional.of(
        new HttpCall(
            http,
            "{\"requests\":[{\"name\":\"bench\",\"uniqueKey\":\"user:",
            "\",\"hits\":\"1\",\"limit\":\"%s\",\"duration\":\"%s\"}]}"
                .formatted(LIMIT, HOUR_MILLIS)));
  }

  @Override
  public GrpcCall grpc() {
    return new GrpcCall(grpcPort, "pb.gubernator.V1/GetRateLimits", request());
  }

  /** Returns the same request as over HTTP, by the field numbers of {@code gubernator.proto}. */
  private static MessageLite request() {
    UnknownFieldSet limit =
        UnknownFieldSet.newBuilder()
            .addField(1, text("bench"))
            .addField(2, text("user:101"))
            .addField(3, number(1))
            .addField(4, number(Long.parseLong(LIMIT)))
            .addField(5, number(Long.parseLong(HOUR_MILLIS)))
            .build();
    return UnknownFieldSet.newBuilder()
        .addField(
            1, UnknownFieldSet.Field.newBuilder().addLengthDelimited(limit.toByteString()).build())
        .build();
  }

  private static UnknownFieldSet.Field text(String value) {
    return UnknownFieldSet.Field.newBuilder()
        .addLengthDelimited(ByteString.copyFromUtf8(value))
        .build();
  }

  private static UnknownFieldSet.Field number(long value) {
    return UnknownFieldSet.Field.newBuilder().addVarint(value).build();
  }

  /** Checks over HTTP the user of the gRPC call: less than the limit must remain. */
  @Override
  public void requireCounted() throws IOException, InterruptedException {
    HttpCall call = http().orElseThrow();
    String answer = Http.post(call.address(), call.bodyStart() + "101" + call.bodyEnd());
    if (!answer.contains("\"remaining\"") || answer.contains("\"remaining\":\"" + LIMIT + "\"")) {
      throw new IllegalStateException("Gubernator does not count: " + answer);
    }
  }

  @Override
  public void close() throws IOException {
    process.close();
  }
}
