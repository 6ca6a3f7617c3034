package dev.weir.notifications.provider;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jsmpp.DefaultPDUReader;
import org.jsmpp.InvalidCommandLengthException;
import org.jsmpp.PDUReader;
import org.jsmpp.PDUStringException;
import org.jsmpp.SMPPConstant;
import org.jsmpp.bean.Command;
import org.jsmpp.util.DefaultComposer;
import org.jsmpp.util.PDUComposer;

/** A message centre whose test reads and writes each PDU, also those that jSMPP's never sends. */
final class ManualCentre implements AutoCloseable {
  static final PDUComposer PDUS = new DefaultComposer();

  private final ServerSocket listener;

  ManualCentre() throws IOException {
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    listener.setSoTimeout((int) MessageCentre.MAX_WAIT.toMillis());
  }

  int port() {
    return listener.getLocalPort();
  }

  /** Waits for the next bind, and accepts it. */
  Peer accept() throws IOException, InvalidCommandLengthException, PDUStringException {
    Peer peer = new Peer(listener.accept());
    Command bind = peer.await(SMPPConstant.CID_BIND_TRANSCEIVER);
    peer.send(
        PDUS.bindResp(SMPPConstant.CID_BIND_TRANSCEIVER_RESP, bind.getSequenceNumber(), "centre"));
    return peer;
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }

  /** A connection that is bound. */
  static final class Peer implements AutoCloseable {
    private final PDUReader reader = new DefaultPDUReader();
    private final Socket socket;
    private final DataInputStream in;

    /** When the centre had its connection, before it was bound. */
    private final long connectedNanos = System.nanoTime();

    private Peer(Socket socket) throws IOException {
      this.socket = socket;
      this.in = new DataInputStream(socket.getInputStream());
    }

    long connectedNanos() {
      return connectedNanos;
    }

    /** Waits for a PDU of the given kind, and drops others. */
    Command await(int id) throws IOException, InvalidCommandLengthException {
      while (true) {
        Command header = reader.readPDUHeader(in);
        byte[] pdu = reader.readPDU(in, header);
        if (header.getCommandId() == id && pdu.length == header.getCommandLength()) {
          return header;
        }
      }
    }

    void send(byte[] pdu) throws IOException {
      socket.getOutputStream().write(pdu);
    }

    /** Answers a submission, with an id of any length. */
    void take(Command submit, String id) throws IOException {
      byte[] text = (id + "\0").getBytes(StandardCharsets.US_ASCII);
      send(
          ByteBuffer.allocate(16 + text.length)
              .putInt(16 + text.length)
              .putInt(SMPPConstant.CID_SUBMIT_SM_RESP)
              .putInt(SMPPConstant.STAT_ESME_ROK)
              .putInt(submit.getSequenceNumber())
              .put(text)
              .array());
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
