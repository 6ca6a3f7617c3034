package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Setting;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.wiring.Node;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotRequest;
import dev.weir.slots.SlotScheduler;
import dev.weir.slots.SlotState;
import dev.weir.spring.autoconfigure.Service;
import dev.weir.workflows.PacedRequest;
import dev.weir.workflows.PacedStart;
import dev.weir.workflows.PacedStarter;
import dev.weir.workflows.PacedWorkflow;
import dev.weir.workflows.SlotSource;
import dev.weir.workflows.SlotSource.PacedSlot;
import dev.weir.workflows.embedded.EmbeddedTemporal;
import io.temporal.client.WorkflowClient;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Paced starts in a service that has a Temporal client. */
final class WorkflowBeansTest {
  private static final PacedWorkflow GREETING = PacedWorkflow.of("Greeting", "greetings", "ann");

  @Configuration(proxyBeanMethods = false)
  static class Temporal {
    @Bean
    EmbeddedTemporal temporal() {
      return EmbeddedTemporal.start();
    }

    @Bean
    WorkflowClient client(EmbeddedTemporal temporal) {
      return temporal.connection().client();
    }
  }

  @Test
  void startsByTheSchedulerOfTheService() {
    try (Service service = Service.bare(Map.of("weir.slots.store", "memory"), Temporal.class)) {
      SlotScheduler slots = service.part(SlotScheduler.class);
      slots.configure("bank-api", SlotPolicy.of(10, Duration.ofSeconds(1)));
      PacedStart start =
          service
              .part(PacedStarter.class)
              .start(GREETING, "ann", "bank-api", Instant.now().plusSeconds(60));
      assertThat(start)
          .isEqualTo(new PacedStart.Started(slots.find("ann").orElseThrow().scheduledTime()));
      assertThat(slots.find("ann").orElseThrow().state()).isEqualTo(SlotState.CONFIRMED);
    }
  }

  @Test
  @SuppressWarnings("try") // A server that stops is part of it.
  void startsBySlotsOfAServer() {
    try (Node node = start();
        Service service =
            Service.bare(
                Map.of(
                    "weir.slots.store",
                    "remote",
                    "weir.remote.url",
                    node.address().toString(),
                    "weir.remote.timeout",
                    "3m"),
                Temporal.class)) {
      PacedStarter starter = service.part(PacedStarter.class);
      assertThat(service.has(SlotScheduler.class)).isFalse();
      Instant wanted = Instant.now().plusSeconds(3_600);
      PacedStart first = starter.start(GREETING, "a b/c?ü", "default", wanted);
      assertThat(first).isInstanceOf(PacedStart.Started.class);
      Instant scheduled = ((PacedStart.Started) first).scheduledTime();
      assertThat(scheduled).isAfterOrEqualTo(wanted).isBefore(wanted.plusSeconds(5));
      assertThat(starter.start(GREETING, "a b/c?ü", "default", wanted))
          .isEqualTo(new PacedStart.AlreadyStarted(scheduled));
      assertThat(starter.start(GREETING, "bob", "unknown", wanted))
          .isInstanceOf(PacedStart.NoSlot.class);

      SlotSource slots = service.part(SlotSource.class);
      assertThat(slots.assign(List.of(new SlotRequest("a b/c?ü", "default", wanted))))
          .singleElement()
          .isInstanceOfSatisfying(
              PacedSlot.Assigned.class,
              slot -> {
                assertThat(slot.requestedTime()).isAfterOrEqualTo(wanted);
                assertThat(slot.scheduledTime()).isEqualTo(scheduled);
                assertThat(slot.isConfirmed()).isTrue();
              });
      // More than fit into one request.
      List<PacedRequest> many =
          IntStream.range(0, 1_200)
              .mapToObj(i -> PacedRequest.now(GREETING, "n" + i, "default"))
              .toList();
      assertThat(starter.assign(many).slots()).hasSize(1_200).doesNotHaveDuplicates();
      assertThat(slots.confirm("a b/c?ü")).contains(scheduled);
      slots.cancel("n0");
      assertThat(slots.confirm("n0")).isEmpty();
      slots.cancel("never assigned");
      assertThat(slots.confirm("never assigned")).isEmpty();

      node.close();
      assertThatThrownBy(() -> slots.assign(List.of(SlotRequest.now("late", "default"))))
          .isInstanceOf(StoreException.class);
    }
  }

  @Test
  void thereIsNoStarterWithoutAClientOrWithoutSlots() {
    try (Service service = Service.bare(Map.of("weir.slots.store", "memory"))) {
      assertThat(service.has(PacedStarter.class)).isFalse();
    }
    try (Service service = Service.bare(Map.of(), Temporal.class)) {
      assertThat(service.has(PacedStarter.class)).isFalse();
    }
  }

  private static Node start() {
    Map<Setting, String> settings = new HashMap<>();
    settings.put(ServerSetting.PORT, "0");
    settings.put(StoreSetting.SLOTS_STORE, "memory");
    settings.put(ServerSetting.DRAIN, "PT0S");
    return Node.start(Capabilities.read(settings, Map.of(), Optional.empty()));
  }
}
