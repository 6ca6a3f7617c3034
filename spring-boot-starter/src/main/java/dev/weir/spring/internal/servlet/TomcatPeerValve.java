package dev.weir.spring.internal.servlet;

import jakarta.servlet.ServletException;
import java.io.IOException;
import java.util.Collections;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;

/**
 * Keeps the origin of each request before Tomcat's {@code RemoteIpValve} changes it. That valve
 * trusts every private address: a peer with one could choose the address that is counted. It also
 * removes the hops that it trusts from {@code X-Forwarded-For}.
 */
final class TomcatPeerValve extends ValveBase {
  TomcatPeerValve() {
    super(true);
  }

  @Override
  public void invoke(Request request, Response response) throws IOException, ServletException {
    // An asynchronous dispatch comes here again, with what the other valve has made of the request.
    if (request.getAttribute(ServletPeer.ATTRIBUTE) == null) {
      request.setAttribute(
          ServletPeer.ATTRIBUTE,
          new ServletPeer(
              request.getRemoteAddr(),
              Collections.list(request.getHeaders(ServletSource.FORWARDED_FOR))));
    }
    getNext().invoke(request, response);
  }
}
