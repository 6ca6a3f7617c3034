package dev.weir.notifications.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.notifications.DecodedRecord;
import dev.weir.notifications.KafkaPublisher;
import dev.weir.notifications.PublishResult;
import dev.weir.notifications.kafka.KafkaClients;
import dev.weir.notifications.kafka.KafkaCluster;
import dev.weir.notifications.kafka.KafkaUnavailableException;
import dev.weir.notifications.kafka.MessageTopics;
import dev.weir.notifications.messages.Message;
import dev.weir.store.tck.internal.Await;
import dev.weir.store.tck.internal.LossyRelay;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.utils.Exit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(900)
final class EmbeddedKafkaTest {
  private static final Duration TIMEOUT = Duration.ofMinutes(5);
  private static final String LOST_ALWAYS = "lost always";

  /** Of a broker that has no predecessor, and so need not wait for the end of its session. */
  private static final BrokerTimes NEW = new BrokerTimes(Duration.ZERO, TIMEOUT, TIMEOUT);

  private static final BrokerTimes AGAIN =
      new BrokerTimes(Duration.ZERO, BrokerTimes.DEFAULT.session(), TIMEOUT);

  private static final MessageTopics TOPICS = MessageTopics.DEFAULT;

  /** Started by the thread that starts the broker. */
  private volatile LossyRelay relay;

  /**
   * One test for all of it, because a start takes seconds: the first message waits for the broker;
   * a lost answer does not double a message, and is unknown if it is lost each time; a restarted
   * broker has its data.
   */
  @Test
  void startsWhenItIsNeededSurvivesLostAnswersAndKeepsItsData(@TempDir Path temporary)
      throws Exception {
    Path folder = temporary.resolve("kafka");
    Message first = message("first");
    Message once = message("lost once");
    List<Message> always = new ArrayList<>();
    try (EmbeddedKafka broker = new EmbeddedKafka(folder, this::startRelay, NEW)) {
      assertThat(Files.exists(folder)).isFalse();
      try (KafkaPublisher publisher = new KafkaPublisher(broker, TOPICS, TIMEOUT)) {
        assertThat(publish(publisher, first)).isInstanceOf(PublishResult.Done.class);
        relay.loseAnswerTo(once.text());
        assertThat(publish(publisher, once)).isInstanceOf(PublishResult.Done.class);
        assertThat(relay.lost()).isEqualTo(1);
      }
      try (KafkaPublisher publisher = new KafkaPublisher(broker, TOPICS, Duration.ofSeconds(3))) {
        awaitTopics(publisher);
        relay.loseAnswersTo(LOST_ALWAYS);
        PublishResult result;
        int before;
        do {
          before = relay.lost();
          always.add(message(LOST_ALWAYS));
          result = publish(publisher, always.getLast());
          // On a busy machine, this time is too short to send a message, or to send it twice.
        } while (result instanceof PublishResult.Refused
            || (result instanceof PublishResult.Unknown && relay.lost() < before + 2));
        assertThat(result).isInstanceOf(PublishResult.Unknown.class);
      }
    } finally {
      relay.close();
    }
    List<Message> published = new ArrayList<>(List.of(first, once));
    published.addAll(always);
    try (EmbeddedKafka broker = new EmbeddedKafka(folder, port -> port, AGAIN)) {
      assertThat(read(broker, always.getLast()))
          .startsWith(first, once)
          .contains(always.getLast())
          .isSubsetOf(published)
          .doesNotHaveDuplicates();
    }
  }

  private int startRelay(int port) {
    try {
      relay = new LossyRelay(port);
      return relay.port();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Waits until there are topics. A broker that is kept from its work for a second is taken for
   * gone for a moment, and then there is no place for them.
   */
  private static void awaitTopics(KafkaPublisher publisher) {
    Await.until(
        () -> {
          try {
            publisher.probe();
            return true;
          } catch (KafkaUnavailableException e) {
            return false;
          }
        });
  }

  private static PublishResult publish(KafkaPublisher publisher, Message message) {
    return publisher.publish(List.of(message)).getFirst();
  }

  /** Reads at least up to a message, and those that come with it. */
  private static List<Message> read(EmbeddedKafka broker, Message last) {
    List<Message> read = new ArrayList<>();
    try (Consumer<byte[], byte[]> consumer =
        KafkaClients.of(broker, TIMEOUT).consumer("reader", 100)) {
      consumer.subscribe(List.of(TOPICS.outbound()));
      long deadline = System.nanoTime() + TIMEOUT.toNanos();
      while (!read.contains(last) && System.nanoTime() < deadline) {
        consumer
            .poll(Duration.ofMillis(200))
            .forEach(record -> read.add(DecodedRecord.message(record)));
      }
    }
    return read;
  }

  private static Message message(String text) {
    // One user, so that all are in one partition, and a second copy would be read with the first.
    return new Message(UUID.randomUUID(), 5, text, 1);
  }

  /** Every user of the machine reaches its port. */
  @Test
  void clientWithoutTheSecretIsNotLetInAndOthersCannotReadTheSecret(@TempDir Path temporary)
      throws Exception {
    Path folder = temporary.resolve("kafka");
    Files.createDirectories(folder);
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
    // As another user may have left it there.
    Path file = Files.writeString(folder.resolve("weir.secret"), "0".repeat(48));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
    String secret;
    try (EmbeddedKafka broker = new EmbeddedKafka(folder, port -> port, NEW)) {
      String address = broker.bootstrapServers(TIMEOUT).orElseThrow();
      assertThat(Files.getPosixFilePermissions(folder))
          .isEqualTo(PosixFilePermissions.fromString("rwx------"));
      assertThat(Files.getPosixFilePermissions(file))
          .isEqualTo(PosixFilePermissions.fromString("rw-------"));
      assertThat(Files.readString(file).strip()).isNotEqualTo("0".repeat(48)).hasSize(48);
      Map<String, String> wrong = new HashMap<>(broker.clientProperties());
      wrong.computeIfPresent(
          "sasl.jaas.config",
          (name, login) -> login.replaceFirst("password=\"[^\"]*\"", "password=\"wrong\""));
      for (Map<String, String> properties : List.of(Map.<String, String>of(), wrong)) {
        assertThatThrownBy(() -> topics(address, properties, Duration.ofSeconds(3)))
            .isInstanceOf(ExecutionException.class);
      }
      assertThat(topics(address, broker.clientProperties(), TIMEOUT)).isEmpty();
      secret = Files.readString(file);
    }
    try (EmbeddedKafka restarted = new EmbeddedKafka(folder, port -> port, AGAIN)) {
      assertThat(restarted.bootstrapServers(TIMEOUT)).isPresent();
      assertThat(Files.readString(file)).isEqualTo(secret);
    }
  }

  /** As while a user is created, or the directory of users of a Kafka is away. */
  @Test
  void publisherThatWasNotLetInPublishesWhenItIs(@TempDir Path temporary) throws Exception {
    Path folder = Files.createDirectories(temporary.resolve("kafka"));
    BrokerPorts ports = BrokerPorts.choose(port -> port);
    BrokerSecret secret = new BrokerSecret("1".repeat(48));
    Message refused = message("refused");
    RaftBroker broker = RaftBroker.start(folder, ports, new BrokerSecret("0".repeat(48)), NEW);
    try (KafkaPublisher publisher =
        new KafkaPublisher(
            KafkaCluster.at(broker.address(), secret.clientProperties()),
            TOPICS,
            Duration.ofSeconds(3))) {
      assertThat(publish(publisher, refused)).isInstanceOf(PublishResult.Refused.class);
      broker.stop();
      broker = RaftBroker.start(folder, ports, secret, AGAIN);

      Await.until(
          () -> {
            awaitTopics(publisher);
            return publish(publisher, message("taken")) instanceof PublishResult.Done;
          });
    } finally {
      broker.stop();
    }
  }

  private static Set<String> topics(
      String address, Map<String, String> properties, Duration timeout) throws Exception {
    try (Admin admin =
        KafkaClients.of(KafkaCluster.at(address, properties), timeout).admin(timeout)) {
      return admin.listTopics().names().get();
    }
  }

  @Test
  void closedBrokerHasNoAddress(@TempDir Path folder) {
    EmbeddedKafka broker = new EmbeddedKafka(folder.resolve("kafka"));
    broker.close();
    assertThat(broker.bootstrapServers(Duration.ofSeconds(1))).isEmpty();
    assertThat(Files.exists(folder.resolve("kafka"))).isFalse();
  }

  /** Kafka ends its process by this call, for instance if its disk fails. */
  @Test
  void brokerThatHasFailedIsStartedAgainWithItsAddressAndItsData(@TempDir Path temporary) {
    Message before = message("before");
    Message after = message("after");
    try (EmbeddedKafka broker = new EmbeddedKafka(temporary.resolve("kafka"), port -> port, AGAIN);
        KafkaPublisher publisher = new KafkaPublisher(broker, TOPICS, TIMEOUT)) {
      awaitTopics(publisher);
      assertThat(publish(publisher, before)).isInstanceOf(PublishResult.Done.class);
      Optional<String> address = broker.bootstrapServers(TIMEOUT);
      assertThatThrownBy(() -> Exit.halt(1, "no space left")).hasMessageContaining("no space left");
      assertThat(broker.bootstrapServers(TIMEOUT)).isPresent().isEqualTo(address);
      // The producer of before reconnects.
      assertThat(publish(publisher, after)).isInstanceOf(PublishResult.Done.class);
      assertThat(read(broker, after)).containsExactly(before, after);
    }
  }

  /** A full disk ends the controller, which a stop then asks in vain. */
  @Test
  void brokerWhoseControllerHasEndedIsStoppedAndStartedAgain(@TempDir Path temporary)
      throws InterruptedException {
    BrokerTimes impatient =
        new BrokerTimes(Duration.ZERO, BrokerTimes.DEFAULT.session(), Duration.ofMinutes(2));
    Set<Thread> ofOthers = controllers();
    try (EmbeddedKafka broker =
        new EmbeddedKafka(temporary.resolve("kafka"), port -> port, impatient)) {
      Optional<String> address = broker.bootstrapServers(TIMEOUT);
      Set<Thread> started = controllers();
      started.removeAll(ofOthers);
      assertThat(started).hasSize(1);
      Thread controller = started.iterator().next();
      controller.interrupt();
      assertThat(controller.join(TIMEOUT)).isTrue();
      assertThat(broker.bootstrapServers(TIMEOUT)).isPresent().isEqualTo(address);
    }
  }

  /** The start would wait for the controller for ever, and hold what the next one needs. */
  @Test
  void startWhoseControllerEndsMeanwhileIsRepeated(@TempDir Path temporary) {
    Set<Thread> ofOthers = controllers();
    try (EmbeddedKafka broker =
        new EmbeddedKafka(temporary.resolve("kafka"), port -> port, AGAIN)) {
      assertThat(broker.bootstrapServers(Duration.ZERO)).isEmpty();
      Await.until(
          () -> {
            Set<Thread> started = controllers();
            started.removeAll(ofOthers);
            started.forEach(Thread::interrupt);
            return !started.isEmpty();
          });
      Await.until(() -> broker.bootstrapServers(TIMEOUT).isPresent());
    }
  }

  /** Returns the controllers of this process: the broker that other tests share has one, too. */
  private static Set<Thread> controllers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().endsWith("-raft-io-thread"))
        .collect(Collectors.toCollection(HashSet::new));
  }

  @Test
  void brokerThatCannotStartHasNoAddressEndsNoProcessAndIsTriedAfterAPause(@TempDir Path folder)
      throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "not a folder");
    assertThat(starts(file.resolve("kafka"), Duration.ofHours(1))).isEqualTo(1);
    assertThat(starts(file.resolve("kafka"), Duration.ZERO)).isEqualTo(2);
  }

  @Test
  void startWhosePortIsTakenEnds(@TempDir Path temporary) throws IOException {
    AtomicReference<ServerSocket> taken = new AtomicReference<>();
    IntUnaryOperator taking =
        port -> {
          try {
            taken.set(new ServerSocket(port, 1, InetAddress.getLoopbackAddress()));
            return port;
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        };
    try (EmbeddedKafka broker = new EmbeddedKafka(temporary.resolve("kafka"), taking, NEW)) {
      assertThat(broker.bootstrapServers(TIMEOUT)).isEmpty();
      assertThat(broker.isStarting()).isFalse();
    } finally {
      taken.get().close();
    }
  }

  @Test
  void startOnADamagedFolderEnds(@TempDir Path temporary) throws IOException {
    Path folder = temporary.resolve("kafka");
    try (EmbeddedKafka broker = new EmbeddedKafka(folder, port -> port, NEW)) {
      assertThat(broker.bootstrapServers(TIMEOUT)).isPresent();
    }
    Path log = folder.resolve("__cluster_metadata-0");
    try (Stream<Path> files = Files.list(log)) {
      for (Path file : files.filter(one -> one.toString().endsWith(".log")).toList()) {
        Files.delete(file);
        Files.createDirectory(file);
      }
    }
    try (EmbeddedKafka broker = new EmbeddedKafka(folder, port -> port, AGAIN)) {
      assertThat(broker.bootstrapServers(TIMEOUT)).isEmpty();
      assertThat(broker.isStarting()).isFalse();
    }
  }

  /** As another process whose settings name the same folder. */
  @Test
  void folderBelongsToOneBroker(@TempDir Path temporary) {
    Path folder = temporary.resolve("kafka");
    try (EmbeddedKafka other = new EmbeddedKafka(folder, port -> port, NEW)) {
      try (EmbeddedKafka broker = new EmbeddedKafka(folder, port -> port, NEW)) {
        assertThat(broker.bootstrapServers(TIMEOUT)).isPresent();
        assertThat(other.bootstrapServers(TIMEOUT)).isEmpty();
        assertThat(broker.bootstrapServers(TIMEOUT)).isPresent();
      }
    }
    try (EmbeddedKafka next = new EmbeddedKafka(folder, port -> port, AGAIN)) {
      assertThat(next.bootstrapServers(TIMEOUT)).isPresent();
    }
  }

  /** Returns how often a broker that cannot start was started when it was needed twice. */
  private static int starts(Path folder, Duration pause) {
    AtomicInteger starts = new AtomicInteger();
    IntUnaryOperator counting =
        port -> {
          starts.incrementAndGet();
          return port;
        };
    BrokerTimes times = new BrokerTimes(pause, BrokerTimes.DEFAULT.session(), TIMEOUT);
    try (EmbeddedKafka broker = new EmbeddedKafka(folder, counting, times)) {
      assertThat(broker.bootstrapServers(TIMEOUT)).isEmpty();
      assertThat(broker.bootstrapServers(TIMEOUT)).isEmpty();
    }
    return starts.get();
  }
}
