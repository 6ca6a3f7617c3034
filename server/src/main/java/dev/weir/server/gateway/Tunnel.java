package dev.weir.server.gateway;

import io.netty.buffer.ByteBuf;

/**
 * Bytes both ways, between two who have agreed to speak something else than HTTP.
 *
 * @param moved called whenever there were some
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
