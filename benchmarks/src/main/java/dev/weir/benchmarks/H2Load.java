package dev.weir.benchmarks;

import com.google.protobuf.MessageLite;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The load generator {@code h2load}, which repeats the same gRPC call. */
public final class H2Load implements AutoCloseable {
  public static final int CONNECTIONS = 8;

  public static final int STREAMS = 8;

  private static final Path PROGRAM = Path.of("/usr/bin/h2load");
  private static final Pattern RATE = Pattern.compile("finished in .*?, ([0-9.]+) req/s");
  private static final Pattern FAILED = Pattern.compile("([0-9]+) failed, ([0-9]+) errored");

  private final Path body;
  private final String method;

  private H2Load(Path body, String method) {
    this.body = body;
    this.method = method;
  }

  public static boolean isInstalled() {
    return Files.isExecutable(PROGRAM);
  }

  /**
   * Returns a generator that calls a method.
   *
   * @param method its full name, such as {@code package.Service/Method}
   */
  public static H2Load calling(String method, MessageLite request) throws IOException {
    byte[] message = request.toByteArray();
    Path body = Files.createTempFile("weir-bench", ".grpc");
    // The gRPC frame: a flag for no compression, then the length.
    Files.write(
        body,
        ByteBuffer.allocate(5 + message.length)
            .put((byte) 0)
            .putInt(message.length)
            .put(message)
            .array());
    return new H2Load(body, method);
  }

  /** Puts load on a local port for the given time. Returns the responses per second. */
  public double run(int port, Duration time) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                List.of(
                    PROGRAM.toString(),
                    "-t1",
                    "-c" + CONNECTIONS,
                    "-m" + STREAMS,
                    "-D" + Math.max(1, time.toSeconds()),
                    "-d" + body,
                    "-Hcontent-type: application/grpc",
                    "-Hte: trailers",
                    "http://127.0.0.1:" + port + "/" + method))
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int code = process.waitFor();
    Matcher rate = RATE.matcher(output);
    Matcher failed = FAILED.matcher(output);
    if (code != 0
        || !rate.find()
        || !failed.find()
        || !failed.group(1).equals("0")
        || !failed.group(2).equals("0")) {
      throw new IllegalStateException("h2load ended with " + code + ": " + output);
    }
    return Double.parseDouble(rate.group(1));
  }

  @Override
  public void close() throws IOException {
    Files.deleteIfExists(body);
  }
}
