package dev.weir.spring.internal.servlet;

import java.util.List;

/**
 * Where a request comes from, as the container received it. Kept as an attribute of the request,
 * because containers may replace both parts with what a header says before the first filter runs.
 *
 * @param address the address of the direct peer
 * @param forwardedFor all lines of {@code X-Forwarded-For}, in order
 */
record ServletPeer(String address, List<String> forwardedFor) {
  static final String ATTRIBUTE = ServletPeer.class.getName();

  ServletPeer {
    forwardedFor = List.copyOf(forwardedFor);
  }
}
