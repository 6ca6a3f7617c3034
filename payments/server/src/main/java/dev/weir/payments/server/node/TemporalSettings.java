package dev.weir.payments.server.node;

import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.settings.Setting;
import dev.weir.node.settings.Settings;
import dev.weir.workflows.TemporalConnection;
import dev.weir.workflows.TemporalTls;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads how Temporal is reached. */
final class TemporalSettings {
  private static final Pattern ADDRESS =
      Pattern.compile("[^\\s,:/]+:\\d{1,5}|\\[[0-9a-fA-F:.]+]:\\d{1,5}");

  private TemporalSettings() {}

  /** Returns where Temporal is; empty for the embedded test server. */
  static Optional<TemporalConnection.Settings> of(Settings settings) {
    Optional<String> address = settings.optional(PaymentSetting.TEMPORAL_ADDRESS);
    if (address.isEmpty()) {
      refuseWithoutAddress(settings);
      return Optional.empty();
    }
    if (!ADDRESS.matcher(address.get()).matches()) {
      throw new InvalidSettingException(
          PaymentSetting.TEMPORAL_ADDRESS.key(),
          "must be an address host:port, not \"" + address.get() + "\"");
    }
    String apiKey = settings.text(PaymentSetting.TEMPORAL_API_KEY);
    if (!apiKey.matches("[!-~]*")) {
      throw new InvalidSettingException(
          PaymentSetting.TEMPORAL_API_KEY.key(), "must be ASCII characters without spaces");
    }
    return Optional.of(
        new TemporalConnection.Settings(
            address.get(),
            settings.text(PaymentSetting.TEMPORAL_NAMESPACE),
            tls(settings),
            apiKey));
  }

  private static void refuseWithoutAddress(Settings settings) {
    for (Setting setting :
        List.of(
            PaymentSetting.TEMPORAL_NAMESPACE,
            PaymentSetting.TEMPORAL_TLS,
            PaymentSetting.TEMPORAL_TRUST,
            PaymentSetting.TEMPORAL_CERTIFICATE,
            PaymentSetting.TEMPORAL_KEY,
            PaymentSetting.TEMPORAL_API_KEY)) {
      if (!settings.text(setting).equals(setting.defaultValue())) {
        throw new InvalidSettingException(
            setting.key(), "has an effect only where temporal.service-address is set");
      }
    }
  }

  private static Optional<TemporalTls> tls(Settings settings) {
    Optional<Path> trust = file(settings, PaymentSetting.TEMPORAL_TRUST);
    Optional<Path> certificate = file(settings, PaymentSetting.TEMPORAL_CERTIFICATE);
    Optional<Path> key = file(settings, PaymentSetting.TEMPORAL_KEY);
    if (certificate.isPresent() != key.isPresent()) {
      throw new InvalidSettingException(
          PaymentSetting.TEMPORAL_KEY.key(), "and temporal.certificate belong together");
    }
    boolean isUsed =
        settings.flag(PaymentSetting.TEMPORAL_TLS)
            || trust.isPresent()
            || certificate.isPresent()
            || settings.optional(PaymentSetting.TEMPORAL_API_KEY).isPresent();
    if (!isUsed) {
      return Optional.empty();
    }
    TemporalTls tls = new TemporalTls(trust, certificate, key);
    try {
      tls.check();
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException(
          (certificate.isPresent()
                  ? PaymentSetting.TEMPORAL_CERTIFICATE
                  : PaymentSetting.TEMPORAL_TRUST)
              .key(),
          "must be a PEM file, and so must the other files of Temporal: " + e.getMessage());
    }
    return Optional.of(tls);
  }

  private static Optional<Path> file(Settings settings, Setting setting) {
    return settings
        .optional(setting)
        .map(
            name -> {
              try {
                Path file = Path.of(name);
                if (Files.isReadable(file)) {
                  return file;
                }
              } catch (InvalidPathException e) {
                throw new InvalidSettingException(setting.key(), "cannot be the name of a file");
              }
              throw new InvalidSettingException(setting.key(), "cannot be read: " + name);
            });
  }
}
