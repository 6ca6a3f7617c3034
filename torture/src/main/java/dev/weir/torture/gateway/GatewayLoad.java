package dev.weir.torture.gateway;

import dev.weir.server.faults.Waiting;
import dev.weir.torture.capability.Load;
import dev.weir.torture.capability.Round;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.history.Json;
import dev.weir.torture.stage.Client;
import dev.weir.torture.stage.Client.Matter;
import dev.weir.torture.stage.HttpMessage;
import dev.weir.torture.stage.Upstream;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Clients of the gateways: several requests on a connection, with and without bodies, some of which
 * are cut off, or whose client leaves without reading the answer.
 */
final class GatewayLoad implements Load {
  static final String FORWARD = "forward";

  /** What is left of the places of a key at the end. */
  static final String PLACES_LEFT = "left of places";

  private static final List<GatewayRule> RULES = List.of(GatewayRule.values());
  private static final String CHECKS = "/api/v1/check";
  private static final int WAIT_MILLIS = 10_000;
  private static final int MAX_BODY = 40_000;
  private static final Duration KEY_TIME = Duration.ofSeconds(2);

  /** Far longer than a lease. */
  private static final Duration BOUND = Duration.ofMinutes(2);

  private final Round round;
  private final Client client;
  private final long beginNanos = System.nanoTime();
  private final AtomicLong ids = new AtomicLong();
  private final Set<String> keysOfPlaces = new ConcurrentSkipListSet<>();

  GatewayLoad(Round round) {
    this.round = round;
    this.client = round.client();
  }

  @Override
  public void prepare() {
    for (GatewayRule rule : GatewayRule.values()) {
      if (rule != GatewayRule.FREE) {
        Matter matter = new Matter("create", rule.name());
        // 409: an attempt without an answer has created it.
        client.until(
            () -> client.post(matter, 0, "/api/admin/rules", rule.json(round.name())), 201, 409);
      }
    }
    // A node that does not know a rule yet lets requests pass.
    for (int i = 0; i < client.nodes(); i++) {
      int node = i;
      Waiting.until(
          "the rules on node " + (node + 1), BOUND, () -> left("wait", node, "none").isDone());
    }
  }

  private Exchange left(String kind, int node, String key) {
    return client.post(
        new Matter(kind, key),
        node,
        CHECKS,
        "{\"rule\":\"%s\",\"key\":\"%s\",\"peek\":true}"
            .formatted(GatewayRule.PLACES.name(round.name()), key));
  }

  @Override
  public void step(SplittableRandom random) {
    int node = random.nextInt(client.nodes());
    int requests = random.nextInt(1, 5);
    try (Socket socket =
        new Socket(
            InetAddress.getLoopbackAddress(), round.stage().nodes().get(node).gatewayPort())) {
      socket.setSoTimeout(WAIT_MILLIS);
      InputStream in = new BufferedInputStream(socket.getInputStream());
      boolean isKept = true;
      for (int i = 0; i < requests && isKept; i++) {
        isKept = send(request(random), random.nextInt(10) == 0, node, socket, in);
      }
    } catch (IOException e) {
      // Nothing was sent.
    }
  }

  private GatewayRequest request(SplittableRandom random) {
    GatewayRule rule = RULES.get(random.nextInt(RULES.size()));
    long now = (System.nanoTime() - beginNanos) / KEY_TIME.toNanos();
    String key = "k" + now;
    if (rule == GatewayRule.PLACES) {
      keysOfPlaces.add(key);
    }
    int bodySize = random.nextBoolean() ? 0 : random.nextInt(1, MAX_BODY);
    return new GatewayRequest(
        round.name() + "-h" + ids.incrementAndGet(),
        rule,
        key,
        bodySize,
        bodySize > 0 && random.nextBoolean(),
        random.nextInt(4) == 0 ? random.nextInt(MAX_BODY) : random.nextInt(200),
        behaviour(random),
        bodySize > 0 && random.nextInt(12) == 0);
  }

  private static Upstream.Behaviour behaviour(SplittableRandom random) {
    return switch (random.nextInt(40)) {
      case 0, 1 -> Upstream.Behaviour.BROKEN;
      case 2, 3 -> Upstream.Behaviour.BROKEN_CHUNKS;
      case 4, 5 -> Upstream.Behaviour.CLOSE;
      case 6 -> Upstream.Behaviour.NEVER;
      case 7, 8, 9, 10, 11, 12 -> Upstream.Behaviour.LATE;
      case 13, 14, 15, 16, 17, 18, 19, 20 -> Upstream.Behaviour.CHUNKED;
      default -> Upstream.Behaviour.PLAIN;
    };
  }

  /** Returns true if the connection is still good. */
  private boolean send(
      GatewayRequest request, boolean isLeaving, int node, Socket socket, InputStream in) {
    Exchange exchange =
        client.record(
            new Matter(FORWARD, request.rule().name() + "/" + request.key()),
            node,
            request.text(),
            () -> {
              request.write(round.name(), new BufferedOutputStream(socket.getOutputStream()));
              if (isLeaving || request.isCut()) {
                return new Client.Answer(0, "the client left");
              }
              return answer(request, HttpMessage.read(in).orElseThrow(EOFException::new));
            });
    return exchange.status() != 0 && exchange.fields().isTrue("kept");
  }

  private static Client.Answer answer(GatewayRequest request, HttpMessage message)
      throws IOException {
    String[] words = message.head().split(" ", 3);
    if (words.length < 2) {
      throw new IOException("no status: " + message.head());
    }
    byte[] expected = Upstream.body(request.id(), request.answerSize());
    boolean isOwn = message.field("content-type").equals("application/problem+json");
    return new Client.Answer(
        Integer.parseInt(words[1]),
        Json.write(
            "id",
            message.field(Upstream.ID),
            "whole",
            message.isWhole(),
            "length",
            message.body().length,
            "matches",
            Arrays.equals(expected, message.body()),
            "kept",
            message.isWhole() && !message.field("connection").equals("close"),
            "problem",
            isOwn ? new String(message.body(), StandardCharsets.UTF_8) : ""));
  }

  @Override
  public void change(SplittableRandom random) {}

  /** Waits until all places are free, but not for ever, and adds what the upstream saw. */
  @Override
  public void finish() throws InterruptedException {
    long deadlineNanos = System.nanoTime() + BOUND.toNanos();
    for (String key : keysOfPlaces) {
      while (!isFree(left(PLACES_LEFT, 0, key)) && System.nanoTime() - deadlineNanos < 0) {
        Thread.sleep(200);
      }
    }
    round.stage().upstream().arrivals(round.name() + "-h").forEach(round.history()::add);
  }

  static boolean isFree(Exchange left) {
    return left.isDone() && left.fields().number("remaining") == GatewayRule.PLACES.limit();
  }
}
