package dev.weir.torture.rules;

import dev.weir.torture.capability.Round;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.stage.Client;
import dev.weir.torture.stage.Client.Matter;
import java.net.http.HttpRequest;
import java.util.SplittableRandom;

/** A proxy that asks for each request of its clients, and describes it in one way or the other. */
final class AuthorizeCaller {
  static final String AUTHORIZE = "authorize";

  /** The request is described in both ways, or in the other one than configured. */
  static final String AMBIGUOUS = "authorize ambiguous";

  static final int LIMIT = 8;

  private static final String PATH = "/api/v1/authorize";

  private final Round round;
  private final Client client;
  private final RuleRegister register;

  AuthorizeCaller(Round round, RuleRegister register) {
    this.round = round;
    this.client = round.client();
    this.register = register;
  }

  void prepare() {
    register.create(
        AUTHORIZE,
        register.json(
            AUTHORIZE,
            LIMIT,
            ",\"pathPattern\":\"/%s/**\",\"methods\":[\"POST\"],\"keyBy\":[\"header:X-Key\"]"
                .formatted(round.name())));
  }

  void step(SplittableRandom random, String key) {
    int node = random.nextInt(client.nodes());
    String target = "/%s/path%d?n=%s".formatted(round.name(), random.nextInt(3), key);
    switch (random.nextInt(6)) {
      case 0 -> ask(AMBIGUOUS, node, key, PATH, target, target);
      case 1 -> ask(AMBIGUOUS, node, key, PATH + "?headers=original", "", target);
      case 2 -> ask(AUTHORIZE, node, key, PATH + "?headers=original", target, "");
      case 3 -> ask(AUTHORIZE, node, key, PATH, target, "");
      default -> ask(AUTHORIZE, node, key, PATH, "", target);
    }
  }

  private Exchange ask(
      String kind, int node, String key, String path, String original, String forwarded) {
    return client.send(
        new Matter(kind, key),
        node,
        path,
        request -> described(request.header("X-Key", key), original, forwarded).GET(),
        path + " original: " + original + " forwarded: " + forwarded);
  }

  private static HttpRequest.Builder described(
      HttpRequest.Builder request, String original, String forwarded) {
    if (!original.isEmpty()) {
      request.header("X-Original-URI", original).header("X-Original-Method", "POST");
    }
    if (!forwarded.isEmpty()) {
      request.header("X-Forwarded-Uri", forwarded).header("X-Forwarded-Method", "POST");
    }
    return request;
  }
}
