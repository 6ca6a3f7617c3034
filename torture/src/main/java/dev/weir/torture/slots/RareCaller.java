package dev.weir.torture.slots;

import dev.weir.torture.capability.Round;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.stage.Client;
import dev.weir.torture.stage.Client.Matter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * A caller of many configurations, each of which is used rarely. So what a node remembers of one is
 * often from before a fault, and little has happened to it since. Half of them change.
 */
final class RareCaller {
  private static final int CONFIGS = 24;
  private static final int WINDOWS = 6;
  private static final int WINDOW_SECONDS = 2;
  private static final int MAX_EVENTS = 4;

  /** Of those that do not change. */
  private static final int MAX_PER_WINDOW = 2;

  /** Of those that change: all events of a step, or one. */
  private static final List<Integer> MAX_IN_TURNS = List.of(1, 3 * MAX_EVENTS);

  private final Round round;
  private final Client client;
  private final AtomicLong ids = new AtomicLong();

  RareCaller(Round round) {
    this.round = round;
    this.client = round.client();
  }

  /** The names of the configurations of a round. */
  static List<String> configs(String round) {
    return IntStream.range(0, CONFIGS).mapToObj(i -> config(round, i)).toList();
  }

  private static String config(String round, int i) {
    return round + "-rare" + i;
  }

  void prepare() {
    for (String config : configs(round.name())) {
      client.until(() -> configure(config, MAX_PER_WINDOW, 0), 200, 201);
    }
  }

  private Exchange configure(String config, int max, int node) {
    return client.post(
        new Matter(SlotLoad.CONFIGURE, config),
        node,
        SlotLoad.CONFIGURATIONS,
        "{\"configName\":\"%s\",\"maxPerWindow\":%d,\"windowSize\":\"PT%dS\"}"
            .formatted(config, max, WINDOW_SECONDS));
  }

  /** Changes a configuration, or not, and then asks the other nodes for slots. */
  void step(SplittableRandom random) {
    int number = random.nextInt(CONFIGS);
    String config = config(round.name(), number);
    int node = random.nextInt(client.nodes());
    if (number % 2 == 0) {
      int max = MAX_IN_TURNS.get(random.nextInt(MAX_IN_TURNS.size()));
      configure(config, max, node);
    }
    for (int others = 1; others < client.nodes(); others++) {
      ask(config, (node + others) % client.nodes(), random);
    }
  }

  private void ask(String config, int node, SplittableRandom random) {
    Instant time = SlotConfig.BEGIN.plusSeconds((long) WINDOW_SECONDS * random.nextInt(WINDOWS));
    List<Matter> matters = new ArrayList<>();
    List<String> lines = new ArrayList<>();
    for (int i = random.nextInt(1, MAX_EVENTS + 1); i > 0; i--) {
      String id = round.name() + "-r" + ids.incrementAndGet();
      matters.add(new Matter(SlotLoad.ASK, id));
      lines.add(
          "{\"eventId\":\"%s\",\"configName\":\"%s\",\"requestedTime\":\"%s\"}"
              .formatted(id, config, time));
    }
    client.stream(matters, node, lines);
  }
}
