package dev.weir.benchmarks.gateway;

import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.Suite;
import dev.weir.benchmarks.Wrk;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The cost of requests that wait in a queue: the memory of the process above that when idle. */
final class WaitingCase implements GatewayCase {
  private static final double MAX_MEGABYTES = 200;

  /** One request passes, the others wait for a long time. */
  private static final String RULE =
      """
      {"name": "bench", "pathPattern": "/**", "allowedRequests": 1, "windowSeconds": 3600,
       "queueEnabled": true, "maxQueueSize": 100000, "delayPerRequestMs": 30000}
      """;

  private static final String REQUEST =
      """
      GET /some/path?of=usual&length=1 HTTP/1.1\r
      Host: bench.example\r
      User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r
      Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r
      Accept-Language: en-US,en;q=0.5\r
      Accept-Encoding: gzip, deflate, br, zstd\r
      Cookie: session=0123456789abcdef0123456789abcdef\r
      \r
      """;

  @Override
  public String name() {
    return "waiting";
  }

  @Override
  public Suite.Outcome run(Suite.Request request) throws Exception {
    return ConstantUpstream.measure(request, name(), WaitingCase::measure);
  }

  private static Suite.Outcome measure(Effort effort, URI upstream) throws Exception {
    try (WeirGateway weir =
            WeirGateway.start(upstream, Map.of("WEIR_LIMITS_STORE", "memory"), RULE);
        Wrk wrk = Wrk.getting(64)) {
      // Idle is measured after some work.
      weir.warmUp(wrk, effort.warmUp());
      double idle = weir.residentMegabytes();
      List<SocketChannel> waiting = new ArrayList<>(effort.waiting());
      try {
        for (int i = 0; i < effort.waiting(); i++) {
          waiting.add(ask(weir.address()));
        }
        while (weir.waiting() < effort.waiting() - 1) {
          TimeUnit.MILLISECONDS.sleep(50);
        }
        double more = weir.residentMegabytes() - idle;
        return new Suite.Outcome(
            Map.of(),
            List.of(
                new Row(
                    "gateway",
                    "%,d requests waiting in queues".formatted(effort.waiting()),
                    "weir",
                    more,
                    "MB more than idle",
                    new Row.Against("the bound", MAX_MEGABYTES, new Row.AtMost(1)))));
      } finally {
        for (SocketChannel each : waiting) {
          each.close();
        }
      }
    }
  }

  private static SocketChannel ask(URI address) throws IOException {
    SocketChannel channel =
        SocketChannel.open(new InetSocketAddress(address.getHost(), address.getPort()));
    channel.write(ByteBuffer.wrap(REQUEST.getBytes(StandardCharsets.US_ASCII)));
    return channel;
  }
}
