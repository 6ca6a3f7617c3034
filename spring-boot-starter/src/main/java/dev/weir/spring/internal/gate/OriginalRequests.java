package dev.weir.spring.internal.gate;

import org.springframework.boot.web.server.WebServerFactory;

/** Access to requests as a kind of web server received them, before it evaluates header fields. */
public interface OriginalRequests {
  /** Returns true if the server is of that kind. */
  boolean areKnownOn(WebServerFactory server);
}
