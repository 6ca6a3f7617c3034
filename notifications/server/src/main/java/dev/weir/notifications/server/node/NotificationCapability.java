package dev.weir.notifications.server.node;

import dev.weir.limits.Limiter;
import dev.weir.node.capability.Capability;
import dev.weir.node.capability.OpeningNode;
import dev.weir.node.capability.Page;
import dev.weir.node.settings.Setting;
import dev.weir.node.settings.Settings;
import dev.weir.node.stores.DatabaseSettings;
import dev.weir.notifications.server.cli.NotificationsCommand;
import dev.weir.store.jdbc.internal.Channel;
import java.util.List;
import java.util.Set;

/** Rate-limited messages, as a capability of the server. */
public final class NotificationCapability implements Capability {
  @Override
  public int order() {
    return 60;
  }

  @Override
  public List<Setting> settings() {
    return List.of(NotificationSetting.values());
  }

  @Override
  public List<Class<?>> commands() {
    return List.of(NotificationsCommand.class, SenderCommand.class);
  }

  @Override
  public Configured configure(Settings settings) {
    return new OnNode(
        NotificationSettings.of(settings),
        DatabaseSettings.kind(settings) == DatabaseSettings.Kind.POSTGRESQL);
  }

  /**
   * Messages with the settings of a node.
   *
   * @param isOpen whether the node has the database that they need
   */
  private record OnNode(NotificationSettings settings, boolean isOpen) implements Configured {
    @Override
    public Set<String> offers() {
      if (!isOpen) {
        return Set.of();
      }
      return settings.analytics().search().isPresent()
          ? Set.of("notifications", "analytics")
          : Set.of("notifications");
    }

    @Override
    public void open(OpeningNode node) {
      OpenNotifications parts =
          node.database()
              .filter(any -> isOpen)
              .map(
                  used ->
                      OpenNotifications.open(
                          settings,
                          used.pool(),
                          node.get(Limiter.class),
                          node.metrics(),
                          node.open()))
              .orElseGet(() -> OpenNotifications.none(node.metrics()));
      parts.addTo(node);
      if (isOpen) {
        node.page(new Page("notifications", "Notifications"));
      }
      node.warnOf(parts::warnings);
      node.onChange(Channel.NOTIFICATION_USER, parts::userChanged, () -> {});
    }
  }
}
