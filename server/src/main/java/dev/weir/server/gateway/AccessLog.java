package dev.weir.server.gateway;

import dev.weir.rules.Verdict;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Access log with one line per request. The query is left out because it may contain secrets. */
final class AccessLog {
  private static final Logger log = LoggerFactory.getLogger("access");

  private AccessLog() {}

  static boolean isOn() {
    return log.isDebugEnabled();
  }

  static void write(
      GatewayRequest request,
      String requestId,
      String route,
      int status,
      long nanos,
      @Nullable Verdict verdict) {
    log.atDebug()
        .addKeyValue("client", request.clientAddress())
        .addKeyValue("method", request.method())
        .addKeyValue("path", request.path().text())
        .addKeyValue("route", route)
        .addKeyValue("status", status)
        .addKeyValue("millis", TimeUnit.NANOSECONDS.toMillis(nanos))
        .addKeyValue(
            "waitMillis", verdict instanceof Verdict.Queued queued ? queued.delay().toMillis() : 0)
        .addKeyValue("requestId", requestId)
        .log("Request");
  }
}
