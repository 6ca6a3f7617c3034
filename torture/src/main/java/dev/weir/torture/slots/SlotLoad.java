package dev.weir.torture.slots;

import dev.weir.torture.capability.Load;
import dev.weir.torture.capability.Round;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.stage.Client;
import dev.weir.torture.stage.Client.Matter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Callers that ask for slots: one by one, in streams, with one id on all nodes at the same moment,
 * again with an id of before; that confirm, cancel and ask again, also slots that have leaked; of
 * configurations that are used all the time and of such that are used rarely. After a failure most
 * ask again with the same id, some give up.
 */
final class SlotLoad implements Load {
  static final String ASK = "ask";
  static final String CANCEL = "cancel";
  static final String CONFIRM = "confirm";
  static final String CONFIGURE = "configure";

  static final String CONFIGURATIONS = "/admin/rate-limit/config";

  private static final String PATH = "/api/v1/slots";
  private static final int MAX_TRIES = 6;
  private static final int MAX_STREAM = 30;
  private static final int REMEMBERED = 64;

  /** Those whose slots are not given back; the one with the most contention twice. */
  private static final List<SlotConfig> KEPT =
      List.of(
          SlotConfig.PACKED,
          SlotConfig.PACKED,
          SlotConfig.TIGHT,
          SlotConfig.MOVING,
          SlotConfig.HOURS,
          SlotConfig.PAUSED,
          SlotConfig.DELAYED,
          SlotConfig.RANDOM,
          SlotConfig.NOW);

  /** For so long one node works alone, and then all do. */
  private static final Duration SPELL = Duration.ofSeconds(4);

  private final Round round;
  private final Client client;
  private final RareCaller rare;
  private volatile long beginNanos = System.nanoTime();
  private final AtomicLong ids = new AtomicLong();

  /** Requests of before, some of which are sent again. */
  private final AtomicReferenceArray<Request> earlier = new AtomicReferenceArray<>(REMEMBERED);

  /** Events of before whose slots leak. */
  private final AtomicReferenceArray<Request> leaking = new AtomicReferenceArray<>(REMEMBERED);

  /** A request of an event. */
  private record Request(String id, String json) {}

  SlotLoad(Round round) {
    this.round = round;
    this.client = round.client();
    this.rare = new RareCaller(round);
  }

  @Override
  public void prepare() {
    for (SlotConfig config : SlotConfig.values()) {
      client.until(() -> configure(config, config.json(round.name()), 0), 200, 201);
    }
    rare.prepare();
    beginNanos = System.nanoTime();
  }

  private Exchange configure(SlotConfig config, String json, int node) {
    return client.post(
        new Matter(CONFIGURE, config.name(round.name())), node, CONFIGURATIONS, json);
  }

  @Override
  public void step(SplittableRandom random) {
    long spell = (System.nanoTime() - beginNanos) / SPELL.toNanos();
    if (spell % 2 == 0) {
      alone((int) (spell / 2 % client.nodes()), random);
      return;
    }
    int node = random.nextInt(client.nodes());
    switch (random.nextInt(24)) {
      case 0 -> stream(random, node);
      case 1, 2, 3 -> onAllAtOnce(random);
      case 4, 5, 6 -> again(random, node);
      case 7, 8, 9 -> end(random, node);
      case 10, 11, 12 -> leak(random, node);
      case 13, 14, 15, 16 -> rare.step(random);
      default -> insist(request(config(random), random), node, random);
    }
  }

  /**
   * A new event asks a node that has no rivals for now, which therefore plans without locking,
   * until the others are back.
   */
  private void alone(int node, SplittableRandom random) {
    SlotConfig config = config(random);
    // What is refused is looked up from then on.
    insist(
        request(config == SlotConfig.DELAYED ? SlotConfig.PACKED : config, random), node, random);
  }

  private static SlotConfig config(SplittableRandom random) {
    return KEPT.get(random.nextInt(KEPT.size()));
  }

  private Request request(SlotConfig config, SplittableRandom random) {
    String id = round.name() + "-e" + ids.incrementAndGet();
    Request request = new Request(id, config.request(round.name(), id, random));
    if (config == SlotConfig.LEAKING) {
      leaking.set(random.nextInt(REMEMBERED), request);
    } else if (config != SlotConfig.ENDED) {
      earlier.set(random.nextInt(REMEMBERED), request);
    }
    return request;
  }

  /** Another event that asks for the same. */
  private Request like(Request request) {
    String id = round.name() + "-e" + ids.incrementAndGet();
    return new Request(id, request.json().replace("\"" + request.id() + "\"", "\"" + id + "\""));
  }

  private Exchange ask(Request request, int node) {
    return client.post(new Matter(ASK, request.id()), node, PATH, request.json());
  }

  /** Asks one node after the other; some give up after a failure. */
  private boolean insist(Request request, int node, SplittableRandom random) {
    boolean givesUp = random.nextInt(3) == 0;
    for (int tries = 0; tries < MAX_TRIES; tries++) {
      Exchange answer = ask(request, (node + tries) % client.nodes());
      if (answer.isDone()) {
        return true;
      }
      if (givesUp) {
        return false;
      }
    }
    return false;
  }

  /** The same event asks on every node at the same moment. */
  private void onAllAtOnce(SplittableRandom random) {
    Request request = request(config(random), random);
    List<Thread> copies = new ArrayList<>();
    for (int i = 0; i < client.nodes(); i++) {
      int node = i;
      copies.add(Thread.ofVirtual().start(() -> ask(request, node)));
    }
    try {
      for (Thread copy : copies) {
        copy.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** An event of before asks again, perhaps while it still asks. */
  private void again(SplittableRandom random, int node) {
    Request request = earlier.get(random.nextInt(REMEMBERED));
    ask(request == null ? request(SlotConfig.TIGHT, random) : request, node);
  }

  private void stream(SplittableRandom random, int node) {
    SlotConfig config = config(random);
    List<Matter> matters = new ArrayList<>();
    List<String> lines = new ArrayList<>();
    for (int i = random.nextInt(2, MAX_STREAM); i > 0; i--) {
      Request request = request(config, random);
      matters.add(new Matter(ASK, request.id()));
      lines.add(request.json());
      // Twice in one stream.
      if (random.nextInt(8) == 0) {
        matters.add(new Matter(ASK, request.id()));
        lines.add(request.json());
      }
    }
    client.stream(matters, node, lines);
  }

  /** An event gets a slot, and is confirmed, or cancelled and perhaps requested again. */
  private void end(SplittableRandom random, int node) {
    Request request = request(SlotConfig.ENDED, random);
    if (!insist(request, node, random)) {
      return;
    }
    int next = random.nextInt(client.nodes());
    String path = PATH + "/" + request.id();
    switch (random.nextInt(3)) {
      case 0 -> confirm(request, next);
      case 1 -> {
        client.delete(new Matter(CANCEL, request.id()), next, path);
        // Twice is no mistake, although another event may hold the place by now.
        if (random.nextBoolean()) {
          insist(like(request), next, random);
          client.delete(new Matter(CANCEL, request.id()), next, path);
          insist(like(request), next, random);
        }
      }
      default -> {
        client.delete(new Matter(CANCEL, request.id()), next, path);
        insist(request, random.nextInt(client.nodes()), random);
      }
    }
  }

  /**
   * An event gets a slot that has passed, and most confirm it before it leaks; or one of before is
   * confirmed, cancelled or requested again, while it leaks or has been reclaimed.
   */
  private void leak(SplittableRandom random, int node) {
    Request known = leaking.get(random.nextInt(REMEMBERED));
    if (known == null || random.nextInt(2) == 0) {
      Request request = request(SlotConfig.LEAKING, random);
      if (insist(request, node, random) && random.nextInt(3) > 0) {
        confirm(request, random.nextInt(client.nodes()));
      }
      return;
    }
    switch (random.nextInt(5)) {
      case 0 -> client.delete(new Matter(CANCEL, known.id()), node, PATH + "/" + known.id());
      case 1, 2 -> confirm(known, node);
      default -> ask(known, node);
    }
  }

  private void confirm(Request request, int node) {
    client.post(
        new Matter(CONFIRM, request.id()), node, PATH + "/" + request.id() + "/confirm", "");
  }

  @Override
  public void change(SplittableRandom random) {
    configure(
        SlotConfig.PAUSED,
        SlotConfig.PAUSED.otherTimes(round.name(), random),
        random.nextInt(client.nodes()));
    int max = random.nextInt(4, 24);
    int seconds = random.nextInt(3) == 0 ? 3 : 2;
    configure(
        SlotConfig.MOVING,
        SlotConfig.MOVING.json(round.name(), max, seconds),
        random.nextInt(client.nodes()));
  }

  @Override
  public void finish() {}
}
