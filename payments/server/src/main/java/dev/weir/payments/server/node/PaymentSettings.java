package dev.weir.payments.server.node;

import dev.weir.internal.SlotNames;
import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Setting;
import dev.weir.node.settings.Settings;
import dev.weir.node.stores.DatabaseAddress;
import dev.weir.node.stores.DatabaseSettings;
import dev.weir.node.stores.StoreSetting;
import dev.weir.payments.workflows.AnswerFields;
import dev.weir.payments.workflows.StatusMeanings;
import dev.weir.workflows.TemporalConnection;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The settings of payments.
 *
 * @param temporal the Temporal server that others run; empty for the embedded test server
 * @param configName slot configuration of feeds that name none
 * @param isPaced whether late and repeated calls follow their slot configurations
 * @param grace how long after its slot an open payment may be started again
 * @param giveUpAfter how long after its first call a payment that is not made has failed
 * @param folder where the simulated payment API records its calls
 */
public record PaymentSettings(
    Optional<TemporalConnection.Settings> temporal,
    String taskQueue,
    String configName,
    Api api,
    CeilingSettings ceiling,
    boolean isPaced,
    Duration grace,
    Duration giveUpAfter,
    Path folder) {
  private static final int MAX_TASK_QUEUE_LENGTH = 200;
  private static final int MAX_CEILING = 100_000;
  private static final Duration MIN_TIMEOUT = Duration.ofMillis(100);
  private static final Duration MAX_TIMEOUT = Duration.ofMinutes(1);
  private static final Duration MAX_LATENESS = Duration.ofMinutes(10);
  private static final Duration MIN_PAUSE = Duration.ofSeconds(1);
  private static final Duration MAX_PAUSE = Duration.ofDays(1);
  private static final Duration MIN_GIVE_UP = Duration.ofMinutes(1);
  private static final Duration MAX_GIVE_UP = Duration.ofDays(30);
  private static final Duration MIN_GRACE = Duration.ofSeconds(1);
  private static final Duration MAX_GRACE = Duration.ofDays(1);

  /** The word that asks for the simulated payment API in place of an address. */
  private static final String SIMULATOR = "simulator";

  /** Who makes payments. */
  public sealed interface Target {
    /** A payment API. */
    record At(URI url) implements Target {}

    /** The simulated payment API in this process, which moves no money. */
    record Simulator() implements Target {}

    /**
     * No one is named. On a database that is not the node's own, which may have payments of
     * production, a simulator must be asked for.
     */
    record None() implements Target {}

    private static Target of(Settings settings) {
      if (settings.text(PaymentSetting.DOWNSTREAM).equals(SIMULATOR)) {
        return new Simulator();
      }
      Optional<URI> url = settings.webAddress(PaymentSetting.DOWNSTREAM);
      if (url.filter(given -> given.getRawQuery() != null || given.getRawUserInfo() != null)
          .isPresent()) {
        throw new InvalidSettingException(
            PaymentSetting.DOWNSTREAM.key(),
            "must have neither a user nor a query; use weir.payments.downstream-authorization");
      }
      if (url.filter(given -> given.getRawFragment() != null).isPresent()) {
        // What is added to the path would become part of it, and would not be sent.
        throw new InvalidSettingException(
            PaymentSetting.DOWNSTREAM.key(), "must have no fragment, which begins with #");
      }
      if (url.isPresent()) {
        return new At(url.get());
      }
      return settings.optional(StoreSetting.DB_URL).isPresent() ? new None() : new Simulator();
    }
  }

  /**
   * The payment API.
   *
   * @param authorization value of the header field {@code Authorization}; empty for none
   * @param timeout max time of a call
   * @param statuses what its statuses mean
   * @param fields what its answers must say if a payment is made
   * @param lookUp its path for a payment by key; empty if it has none
   * @param lateness how long after the end of its connection a call may still arrive
   * @param pause how long it may not answer and then look at the calls that it got meanwhile
   */
  public record Api(
      Target target,
      String authorization,
      Duration timeout,
      StatusMeanings statuses,
      AnswerFields fields,
      String lookUp,
      Duration lateness,
      Duration pause) {
    private static Api of(Settings settings) {
      Target target = Target.of(settings);
      String authorization = settings.text(PaymentSetting.AUTHORIZATION);
      if (!authorization.matches("[ -~]*")) {
        throw new InvalidSettingException(
            PaymentSetting.AUTHORIZATION.key(), "must be ASCII characters");
      }
      if (!(target instanceof Target.At) && !authorization.isEmpty()) {
        throw new InvalidSettingException(
            PaymentSetting.AUTHORIZATION.key(),
            "has an effect only where weir.payments.downstream is an address");
      }
      return new Api(
          target,
          authorization,
          settings.duration(PaymentSetting.TIMEOUT, MIN_TIMEOUT, MAX_TIMEOUT),
          parsed(
              PaymentSetting.STATUSES,
              () -> StatusMeanings.DEFAULT.with(settings.text(PaymentSetting.STATUSES))),
          parsed(
              PaymentSetting.FIELDS,
              () ->
                  AnswerFields.parse(
                      settings.text(PaymentSetting.FIELDS),
                      settings.text(PaymentSetting.PAID_STATES))),
          lookUp(settings),
          settings.duration(PaymentSetting.LATENESS, Duration.ZERO, MAX_LATENESS),
          settings.duration(PaymentSetting.PAUSE, MIN_PAUSE, MAX_PAUSE));
    }

    private static <T> T parsed(Setting setting, Supplier<T> parser) {
      try {
        return parser.get();
      } catch (IllegalArgumentException e) {
        throw new InvalidSettingException(setting.key(), String.valueOf(e.getMessage()));
      }
    }

    private static String lookUp(Settings settings) {
      String path = settings.text(PaymentSetting.LOOKUP);
      if (!path.isEmpty() && !path.matches("/[!$-;=?-Z_a-z~]*\\{key}[!$-;=?-Z_a-z~]*")) {
        throw new InvalidSettingException(
            PaymentSetting.LOOKUP.key(),
            "must be a path such as /payments/{key}, not \"%s\"".formatted(path));
      }
      return path;
    }

    /**
     * Returns how long calls of a node that was killed may be handled later. The simulated API ends
     * with its node.
     */
    Duration maxPause() {
      return target instanceof Target.At ? pause : MIN_PAUSE;
    }

    /** Returns the address without the credentials. */
    @Override
    public String toString() {
      return switch (target) {
        case Target.At at -> at.url().toString();
        case Target.Simulator simulator -> "the simulated payment API, which moves no money";
        case Target.None none -> "no payment API";
      };
    }
  }

  /**
   * The ceiling in front of the payment API.
   *
   * @param max max calls within any second
   * @param isHard whether it is held by leases, not by a token bucket
   */
  public record CeilingSettings(int max, boolean isHard) {}

  public static PaymentSettings of(Settings settings) {
    DatabaseSettings.requirePostgresql(
        settings, "payments", List.of(PaymentSetting.TEMPORAL_ADDRESS, PaymentSetting.DOWNSTREAM));
    Optional<TemporalConnection.Settings> temporal = TemporalSettings.of(settings);
    Api api = Api.of(settings);
    if (temporal.isPresent() && !(api.target() instanceof Target.At)) {
      throw new InvalidSettingException(
          PaymentSetting.DOWNSTREAM.key(),
          "must be an address where temporal.service-address is set, because any node may make a"
              + " payment and the simulated payment API belongs to one; './weir downstream' runs it"
              + " for all");
    }
    return new PaymentSettings(
        temporal,
        taskQueue(settings),
        settings.text(
            settings.optional(PaymentSetting.CONFIG).isPresent()
                ? PaymentSetting.CONFIG
                : ServerSetting.SLOTS_DEFAULT_NAME,
            SlotNames::configNameProblem),
        api,
        new CeilingSettings(
            settings.number(PaymentSetting.CEILING, 2, MAX_CEILING),
            settings.choice(PaymentSetting.CEILING_KIND, List.of("hard", "smooth")).equals("hard")),
        settings.choice(PaymentSetting.PACE, List.of("config", "ceiling")).equals("config"),
        settings.duration(PaymentSetting.GRACE, MIN_GRACE, MAX_GRACE),
        settings.duration(PaymentSetting.GIVE_UP_AFTER, MIN_GIVE_UP, MAX_GIVE_UP),
        DatabaseAddress.dataFolder(settings).resolve("payments"));
  }

  private static String taskQueue(Settings settings) {
    String name = settings.text(PaymentSetting.TEMPORAL_TASK_QUEUE);
    if (name.length() > MAX_TASK_QUEUE_LENGTH) {
      throw new InvalidSettingException(
          PaymentSetting.TEMPORAL_TASK_QUEUE.key(),
          "must have 1 to %d characters, not %d".formatted(MAX_TASK_QUEUE_LENGTH, name.length()));
    }
    return name;
  }
}
