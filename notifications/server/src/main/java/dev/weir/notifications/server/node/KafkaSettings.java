package dev.weir.notifications.server.node;

import dev.weir.node.settings.FileProblem;
import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.settings.Settings;
import dev.weir.node.stores.DatabaseAddress;
import dev.weir.node.stores.StoreSetting;
import dev.weir.notifications.kafka.KafkaCluster;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Pattern;

/**
 * How Kafka is reached.
 *
 * @param cluster the brokers that others run; empty for an embedded one
 * @param folder where the embedded broker has its data; empty if there is none. With a database of
 *     the user's, nodes of different databases would share the default folder, and a node would
 *     start the broker of another and send its messages
 */
public record KafkaSettings(Optional<KafkaCluster> cluster, Optional<Path> folder) {
  private static final Pattern SERVER =
      Pattern.compile("[^\\s,:/]+:\\d{1,5}|\\[[0-9a-fA-F:.]+]:\\d{1,5}");

  public static KafkaSettings of(Settings settings) {
    Map<String, String> properties =
        settings
            .optional(NotificationSetting.KAFKA_PROPERTIES)
            .map(KafkaSettings::read)
            .orElse(Map.of());
    for (String server : settings.list(NotificationSetting.KAFKA_SERVERS)) {
      if (!SERVER.matcher(server).matches()) {
        throw new InvalidSettingException(
            NotificationSetting.KAFKA_SERVERS.key(),
            "must be addresses host:port, separated by commas, not \"" + server + "\"");
      }
    }
    Optional<KafkaCluster> cluster =
        settings
            .optional(NotificationSetting.KAFKA_SERVERS)
            .map(any -> String.join(",", settings.list(NotificationSetting.KAFKA_SERVERS)))
            .map(servers -> KafkaCluster.at(servers, properties));
    if (cluster.isEmpty() && !properties.isEmpty()) {
      throw new InvalidSettingException(
          NotificationSetting.KAFKA_PROPERTIES.key(),
          "has an effect only where weir.kafka.bootstrap-servers is set");
    }
    boolean hasFolder =
        !settings.isGiven(StoreSetting.DB_URL) || settings.isGiven(StoreSetting.DATA);
    return new KafkaSettings(
        cluster,
        hasFolder
            ? Optional.of(DatabaseAddress.dataFolder(settings).resolve("kafka"))
            : Optional.empty());
  }

  /** Reads a properties file. Errors do not repeat its content, which has passwords. */
  private static Map<String, String> read(String name) {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(Path.of(name))) {
      properties.load(reader);
    } catch (IOException e) {
      throw new InvalidSettingException(
          NotificationSetting.KAFKA_PROPERTIES.key(), "cannot be read: " + FileProblem.text(e));
    } catch (InvalidPathException e) {
      throw new InvalidSettingException(
          NotificationSetting.KAFKA_PROPERTIES.key(), "cannot be the name of a file");
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException(
          NotificationSetting.KAFKA_PROPERTIES.key(),
          "cannot be read: it is not a properties file");
    }
    Map<String, String> values = new HashMap<>();
    properties.stringPropertyNames().forEach(key -> values.put(key, properties.getProperty(key)));
    return values;
  }
}
