package dev.weir.server.gateway;

import io.netty.buffer.ByteBuf;

/**
 * Relays bytes in both directions after client and upstream have agreed on a protocol other than
 * HTTP.
 *
 * @param moved called whenever bytes are relayed
 */
record Tunnel(FlowControlledChannel client, FlowControlledChannel upstream, Runnable moved) {

  void fromClient(ByteBuf bytes) {
    moved.run();
    upstream.pass(bytes, client);
  }

  void fromUpstream(ByteBuf bytes) {
    moved.run();
    client.pass(bytes, upstream);
  }
}
