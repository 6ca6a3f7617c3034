package dev.weir.server.envoy;

import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.health.v1.HealthCheckRequest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/**
 * Passes on the messages of the health service, which anybody may call, and replaces one that is
 * too long by a question about a service that does not exist: the unknown fields of a message take
 * many times the memory of its bytes.
 */
final class HealthMarshaller implements MethodDescriptor.Marshaller<byte[]> {
  static final int MAX_BYTES = 1_024;

  private static final HealthCheckRequest NO_SERVICE =
      HealthCheckRequest.newBuilder().setService("?").build();

  private HealthMarshaller() {}

  /** Returns the definition of the health service whose requests are bounded. */
  static ServerServiceDefinition bind(BindableService health) {
    return ServerInterceptors.useMarshalledMessages(health.bindService(), new HealthMarshaller());
  }

  @Override
  public InputStream stream(byte[] message) {
    return new ByteArrayInputStream(message);
  }

  @Override
  public byte[] parse(InputStream stream) {
    try {
      byte[] message = stream.readNBytes(MAX_BYTES + 1);
      return message.length > MAX_BYTES ? NO_SERVICE.toByteArray() : message;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
