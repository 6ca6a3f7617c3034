package dev.weir.notifications.server.node;

import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.settings.Setting;
import dev.weir.node.settings.Settings;
import dev.weir.notifications.SignedRequests;
import dev.weir.notifications.provider.LogProvider;
import dev.weir.notifications.provider.Receipts;
import dev.weir.notifications.provider.SmppProvider;
import dev.weir.notifications.provider.SmppSettings;
import dev.weir.notifications.provider.SmsProvider;
import dev.weir.notifications.provider.WebhookProvider;
import dev.weir.notifications.sender.SenderSettings.Repetition;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** What messages are handed to. */
public sealed interface ProviderSettings {
  Duration MIN_TIMEOUT = Duration.ofMillis(100);
  Duration MAX_TIMEOUT = Duration.ofMinutes(1);

  /** The log. */
  record ToLog() implements ProviderSettings {}

  /** A URL that messages are posted to. */
  record ToWebhook(URI url, String secret, Duration timeout) implements ProviderSettings {
    /** Contains neither the secret nor the URL, which may contain a password. */
    @Override
    public String toString() {
      return "ToWebhook";
    }
  }

  /** A message centre. */
  record ToSmpp(SmppSettings centre, String addressPrefix) implements ProviderSettings {}

  static ProviderSettings of(Settings settings) {
    Duration timeout =
        settings.duration(NotificationSetting.PROVIDER_TIMEOUT, MIN_TIMEOUT, MAX_TIMEOUT);
    return switch (settings.choice(
        NotificationSetting.PROVIDER, List.of("log", "webhook", "smpp"))) {
      case "webhook" -> webhook(settings, timeout);
      case "smpp" -> smpp(settings, timeout);
      default -> new ToLog();
    };
  }

  private static ToWebhook webhook(Settings settings, Duration timeout) {
    return new ToWebhook(
        required(
            NotificationSetting.WEBHOOK_URL,
            settings.webAddress(NotificationSetting.WEBHOOK_URL),
            "webhook"),
        required(
            NotificationSetting.WEBHOOK_SECRET,
            settings.secret(NotificationSetting.WEBHOOK_SECRET),
            "webhook"),
        timeout);
  }

  private static ToSmpp smpp(Settings settings, Duration timeout) {
    return new ToSmpp(
        new SmppSettings(
            required(
                NotificationSetting.SMPP_HOST,
                settings.optional(NotificationSetting.SMPP_HOST),
                "smpp"),
            settings.number(NotificationSetting.SMPP_PORT, 1, 65_535),
            settings.flag(NotificationSetting.SMPP_TLS),
            limited(
                NotificationSetting.SMPP_SYSTEM_ID,
                required(
                    NotificationSetting.SMPP_SYSTEM_ID,
                    settings.optional(NotificationSetting.SMPP_SYSTEM_ID),
                    "smpp"),
                SmppSettings.MAX_SYSTEM_ID),
            limited(settings, NotificationSetting.SMPP_PASSWORD, SmppSettings.MAX_PASSWORD),
            limited(settings, NotificationSetting.SMPP_SYSTEM_TYPE, SmppSettings.MAX_SYSTEM_TYPE),
            limited(settings, NotificationSetting.SMPP_SOURCE, SmppSettings.MAX_ADDRESS),
            timeout,
            SmppSettings.DEFAULT_ENQUIRE_EVERY),
        settings.text(NotificationSetting.SMPP_PREFIX));
  }

  private static String limited(Settings settings, Setting setting, int max) {
    return limited(setting, settings.text(setting), max);
  }

  /** The value is not in the message: it may be a password. */
  private static String limited(Setting setting, String value, int max) {
    if (value.length() > max) {
      throw new InvalidSettingException(
          setting.key(), "must have up to %d characters in SMPP".formatted(max));
    }
    return value;
  }

  private static <T> T required(Setting setting, Optional<T> value, String provider) {
    return value.orElseThrow(
        () ->
            new InvalidSettingException(
                setting.key(), "is needed where weir.notifications.provider is " + provider));
  }

  /** Returns what distinguishes the provider from others, without secrets. */
  default String identity() {
    return switch (this) {
      case ToLog log -> "log";
      case ToWebhook webhook ->
          "webhook %s (%s)".formatted(webhook.url().getHost(), digest(webhook.url().toString()));
      case ToSmpp smpp ->
          "smpp %s:%d as %s"
              .formatted(smpp.centre().host(), smpp.centre().port(), smpp.centre().systemId());
    };
  }

  /** Returns a short digest of what may contain a secret. */
  private static String digest(String text) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, 4);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** Returns what verifies requests of the provider; empty if it sends none. */
  default Optional<SignedRequests> signedRequests(InstantSource clock) {
    return switch (this) {
      case ToWebhook webhook ->
          Optional.of(new SignedRequests(WebhookProvider.NAME, webhook.secret(), clock));
      case ToLog log -> Optional.empty();
      case ToSmpp smpp -> Optional.empty();
    };
  }

  /**
   * Returns what is done, by default, with messages that were handed over and not answered. SMPP
   * has nothing by which a message centre could recognize a repetition.
   */
  default Repetition repetition() {
    return switch (this) {
      case ToLog log -> Repetition.AT_LEAST_ONCE;
      case ToWebhook webhook -> Repetition.AT_LEAST_ONCE;
      case ToSmpp smpp -> Repetition.AT_MOST_ONCE;
    };
  }

  /** Returns the provider. */
  default SmsProvider open(Receipts receipts, InstantSource clock) {
    return switch (this) {
      case ToLog log -> new LogProvider();
      case ToWebhook webhook ->
          new WebhookProvider(webhook.url(), webhook.secret(), webhook.timeout(), clock);
      case ToSmpp smpp ->
          new SmppProvider(smpp.centre(), userId -> smpp.addressPrefix() + userId, receipts, clock);
    };
  }
}
