package dev.weir.payments.server.node;

import dev.weir.node.lifecycle.OpenParts;
import dev.weir.node.settings.FileProblem;
import dev.weir.node.stores.DatabaseTime;
import dev.weir.node.stores.postgresql.Folders;
import dev.weir.payments.PaymentStore;
import dev.weir.payments.simulator.DownstreamServer;
import dev.weir.payments.simulator.DownstreamSimulator;
import dev.weir.payments.simulator.SimulatorSettings;
import dev.weir.payments.workflows.Attempts;
import dev.weir.payments.workflows.CallGate;
import dev.weir.payments.workflows.Ceiling;
import dev.weir.payments.workflows.Downstream;
import dev.weir.payments.workflows.HttpDownstream;
import dev.weir.payments.workflows.PaymentObserver;
import dev.weir.payments.workflows.PaymentParts;
import dev.weir.payments.workflows.PaymentReconciler;
import dev.weir.payments.workflows.PaymentService;
import dev.weir.payments.workflows.Payments;
import dev.weir.workflows.SlotSource;
import dev.weir.workflows.TemporalConnection;
import dev.weir.workflows.embedded.EmbeddedTemporal;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.UUID;

/**
 * What makes payments while it is open: a connection to Temporal, a worker, and the payment API
 * that it calls.
 */
final class RunningPayments implements AutoCloseable {
  /** Why a node makes no payments that was not told who makes them. */
  static final String NO_API =
      "weir.payments.downstream is not set: it must name the payment API, or be simulator for one"
          + " that moves no money";

  private static final Duration MAX_CONNECT = Duration.ofSeconds(5);

  /** Of the simulated payment API, as that of {@code weir downstream}. */
  private static final Duration LATENCY = Duration.ofMillis(20);

  private static final Duration SILENCE = Duration.ofSeconds(30);

  private final String name;
  private final Optional<TemporalConnection> remote;
  private final Optional<EmbeddedTemporal> embedded;
  private final PaymentService service;
  private final OpenParts open;

  private RunningPayments(
      String name,
      Optional<TemporalConnection> remote,
      Optional<EmbeddedTemporal> embedded,
      PaymentService service,
      OpenParts open) {
    this.name = name;
    this.remote = remote;
    this.embedded = embedded;
    this.service = service;
    this.open = open;
  }

  /** The stores of payments, and what decides when they are called. */
  record Stores(PaymentStore payments, SlotSource slots, Ceiling ceiling, CallGate gate) {}

  /**
   * Starts what makes payments. If a part fails to start, those before it are closed.
   *
   * @param clock the clock of this machine
   * @throws IllegalStateException if Temporal cannot be reached
   */
  static RunningPayments start(
      PaymentSettings settings, Stores stores, PaymentObserver observer, InstantSource clock) {
    OpenParts open = new OpenParts();
    boolean isComplete = false;
    try {
      Optional<TemporalConnection> remote =
          settings.temporal().map(given -> open.add(TemporalConnection.open(given)));
      String name = settings.temporal().map(RunningPayments::name).orElse("the embedded Temporal");
      if (remote.isPresent()) {
        check(remote.get(), name);
      }
      Optional<EmbeddedTemporal> embedded =
          remote.isPresent()
              ? Optional.empty()
              : Optional.of(open.add(EmbeddedTemporal.start(clock)));
      TemporalConnection temporal =
          remote.or(() -> embedded.map(EmbeddedTemporal::connection)).orElseThrow();
      Downstream downstream = open.add(downstream(settings, open, clock));
      PaymentParts parts =
          new PaymentParts(
              stores.payments(),
              stores.slots(),
              stores.ceiling(),
              stores.gate(),
              downstream,
              Attempts.within(settings.giveUpAfter()),
              settings.taskQueue(),
              new DatabaseTime(stores.payments()::now, System::nanoTime),
              observer);
      PaymentService service = open.add(PaymentService.start(temporal, parts, settings.grace()));
      isComplete = true;
      return new RunningPayments(name, remote, embedded, service, open);
    } finally {
      if (!isComplete) {
        open.close();
      }
    }
  }

  private static String name(TemporalConnection.Settings settings) {
    return "Temporal at " + settings.serviceAddress();
  }

  private static Downstream downstream(
      PaymentSettings settings, OpenParts open, InstantSource clock) {
    PaymentSettings.Api api = settings.api();
    // Others on this machine can reach the simulated one too, and only this node knows the secret.
    String secret = "Bearer " + UUID.randomUUID();
    return switch (api.target()) {
      case PaymentSettings.Target.At at -> http(at.url(), api.authorization(), api, clock);
      case PaymentSettings.Target.Simulator simulated ->
          http(simulator(settings, secret, open).address(), secret, api, clock);
      case PaymentSettings.Target.None none -> throw new IllegalStateException(NO_API);
    };
  }

  private static Downstream http(
      URI url, String authorization, PaymentSettings.Api api, InstantSource clock) {
    return new HttpDownstream(
        new HttpDownstream.Settings(
            url, api.timeout(), authorization, api.statuses(), api.fields(), api.lookUp()),
        clock);
  }

  /** Starts a payment API that remembers what it has paid, also after a restart. */
  private static DownstreamServer simulator(
      PaymentSettings settings, String authorization, OpenParts open) {
    SimulatorSettings behaviour =
        new SimulatorSettings(
            settings.ceiling().max(),
            LATENCY,
            SILENCE,
            SimulatorSettings.Faults.NONE,
            1,
            SimulatorSettings.DEFAULT_MAX_PAYMENTS);
    Path file = settings.folder().resolve("calls.ndjson");
    try {
      Folders.createPrivate(settings.folder());
      DownstreamSimulator simulator =
          open.add(
              DownstreamSimulator.recording(behaviour, DownstreamSimulator.steadyClock(), file));
      return open.add(
          DownstreamServer.closed(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
              simulator,
              authorization));
    } catch (IOException e) {
      throw new IllegalStateException(
          "the simulated payment API cannot start: " + FileProblem.text(e), e);
    }
  }

  Payments payments() {
    return service.payments();
  }

  PaymentReconciler reconciler() {
    return service.reconciler();
  }

  /** Returns true if payments may wait for too long, and have to be started anew. */
  boolean isOutOfTime() {
    return embedded.filter(EmbeddedTemporal::isOutOfTime).isPresent();
  }

  /**
   * Checks that Temporal can be reached.
   *
   * @throws IllegalStateException if it cannot
   */
  void check() {
    remote.ifPresent(connection -> check(connection, name));
  }

  private static void check(TemporalConnection connection, String name) {
    connection
        .problem(MAX_CONNECT)
        .ifPresent(
            reason -> {
              // The reason differs from time to time, so it is no part of the message.
              throw new IllegalStateException(name + " cannot be reached", new IOException(reason));
            });
  }

  @Override
  public void close() {
    open.close();
  }

  @Override
  public String toString() {
    return name;
  }
}
