package dev.weir.benchmarks.services;

import com.google.protobuf.MessageLite;
import java.io.IOException;
import java.net.URI;
import java.util.Optional;

/** A running rate limit service, with one limit per user that is never reached. */
interface Service extends AutoCloseable {
  String name();

  /** Returns its check over HTTP, if it has one. */
  Optional<HttpCall> http();

  /** Returns its check over gRPC. */
  GrpcCall grpc();

  /**
   * Throws unless checks are counted against the limit, because load generators do not read
   * responses.
   */
  void requireCounted() throws IOException, InterruptedException;

  @Override
  void close() throws IOException;

  /**
   * A POST of JSON: the start, the number of a user, the end.
   *
   * @param bodyStart without single quotes, as the end
   */
  record HttpCall(URI address, String bodyStart, String bodyEnd) {}

  /**
   * The same gRPC call for each check.
   *
   * @param method its full name, such as {@code package.Service/Method}
   */
  record GrpcCall(int port, String method, MessageLite request) {}
}
