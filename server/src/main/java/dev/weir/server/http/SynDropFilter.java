package dev.weir.server.http;

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
 * A filter in Linux's kernel by which a listening socket hears no new knocking, while it still lets
 * in who has knocked before.
 *
 * <p>Closing a listening socket resets all who are connected and were not accepted yet, and there
 * is no moment in which nobody can be in that state. With the filter there is: the first packet of
 * a connection (SYN without ACK) is dropped, so after a while nobody is left between. Who knocks
 * meanwhile knocks again a second later, as TCP does, and is refused by the closed port.
 */
public final class SynDropFilter {
  private static final Logger log = LoggerFactory.getLogger(SynDropFilter.class);

  private static final int SOL_SOCKET = 1;
  private static final int SO_ATTACH_FILTER = 26;

  /** The byte of a TCP header with its flags, and the flags. */
  private static final int FLAGS_AT = 13;

  private static final int SYN = 0x02;
  private static final int SYN_OR_ACK = 0x12;

  private static final int INSTRUCTION_BYTES = 8;

  /** struct sock_fprog: a short, and a pointer where pointers lie. */
  private static final RawUnixChannelOption ATTACH =
      new RawUnixChannelOption("SO_ATTACH_FILTER", SOL_SOCKET, SO_ATTACH_FILTER, 16);

  private SynDropFilter() {}

  /** Does nothing where the system is not Linux. */
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
      log.debug("The kernel takes no filter; newcomers may be cut when the port is closed", e);
    } finally {
      // Nothing but its address is left of it otherwise, and the kernel has to copy it first.
      Reference.reachabilityFence(program);
    }
  }

  private static ByteBuffer direct(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
  }

  /** Classic BPF; it sees packets from the TCP header on. */
  private static ByteBuffer program() {
    ByteBuffer program = direct(5 * INSTRUCTION_BYTES);
    instruction(program, 0x30, 0, FLAGS_AT); // load the byte
    instruction(program, 0x54, 0, SYN_OR_ACK); // and
    instruction(program, 0x15, 1, SYN); // if equal go on, else skip one
    instruction(program, 0x06, 0, 0); // keep nothing: drop
    instruction(program, 0x06, 0, -1); // keep all
    return program.flip();
  }

  private static void instruction(ByteBuffer program, int code, int skipIfNot, int value) {
    program.putShort((short) code).put((byte) 0).put((byte) skipIfNot).putInt(value);
  }
}
