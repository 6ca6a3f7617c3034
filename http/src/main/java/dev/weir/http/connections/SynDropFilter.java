package dev.weir.http.connections;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.unix.Buffer;
import io.netty.channel.unix.RawUnixChannelOption;
import io.netty.channel.unix.UnixChannel;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A packet filter of the Linux kernel that stops a listening socket from receiving new connection
 * attempts, while attempts that began earlier complete.
 *
 * <p>Closing a listening socket resets all connections that are established but not accepted yet,
 * and without the filter there may always be one. The filter drops the first packet of a connection
 * (SYN without ACK), so after a while none is left in that state. A client that connects meanwhile
 * retransmits a second later, as TCP does, and the closed port refuses it.
 */
public final class SynDropFilter {
  private static final Logger log = LoggerFactory.getLogger(SynDropFilter.class);

  private static final int SOL_SOCKET = 1;
  private static final int SO_ATTACH_FILTER = 26;

  /** The offset of the flags in a TCP header, and the flags. */
  private static final int FLAGS_AT = 13;

  private static final int SYN = 0x02;
  private static final int SYN_OR_ACK = 0x12;

  private static final int INSTRUCTION_BYTES = 8;

  /** {@code struct sock_fprog}: a short, and a pointer at its natural alignment. */
  private static final RawUnixChannelOption ATTACH =
      new RawUnixChannelOption("SO_ATTACH_FILTER", SOL_SOCKET, SO_ATTACH_FILTER, 16);

  private SynDropFilter() {}

  /** Attaches the filter to a listening socket. Does nothing on systems other than Linux. */
  public static void attach(Channel listener) {
    if (!(listener instanceof UnixChannel) || !System.getProperty("os.name").equals("Linux")) {
      return;
    }
    ByteBuffer program = program();
    ByteBuffer pointer = direct(16);
    pointer.putShort(0, (short) (program.capacity() / INSTRUCTION_BYTES));
    pointer.putLong(8, Buffer.memoryAddress(program));
    try {
      listener.config().setOption(ATTACH, pointer);
    } catch (ChannelException e) {
      log.debug(
          "The kernel accepts no filter; new connections may be reset when the port is closed", e);
    } finally {
      // Only its address is used from here on, and the kernel must copy the program before it is
      // freed.
      Reference.reachabilityFence(program);
    }
  }

  private static ByteBuffer direct(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
  }

  /** Returns the program in classic BPF. It sees packets from the TCP header on. */
  private static ByteBuffer program() {
    ByteBuffer program = direct(5 * INSTRUCTION_BYTES);
    instruction(program, 0x30, 0, FLAGS_AT); // load the byte
    instruction(program, 0x54, 0, SYN_OR_ACK); // and
    instruction(program, 0x15, 1, SYN); // continue if equal, else skip one
    instruction(program, 0x06, 0, 0); // keep nothing: drop
    instruction(program, 0x06, 0, -1); // keep all
    return program.flip();
  }

  private static void instruction(ByteBuffer program, int code, int skipIfNot, int value) {
    program.putShort((short) code).put((byte) 0).put((byte) skipIfNot).putInt(value);
  }
}
