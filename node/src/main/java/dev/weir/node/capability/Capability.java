package dev.weir.node.capability;

import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.settings.PortProbe;
import dev.weir.node.settings.Setting;
import dev.weir.node.settings.Settings;
import java.util.List;
import java.util.Set;

/**
 * A capability of the server, such as slots or payments: all by which it enters a node.
 *
 * <p>Capabilities are found by {@link java.util.ServiceLoader}, and know nothing of each other.
 * What they share are types of the engine and of the packages that all of them use.
 *
 * <ul>
 *   <li>Settings: {@link #settings()}, read by {@link #configure}.
 *   <li>Beans and metrics: added to the node in {@link Configured#open}.
 *   <li>Endpoints: classes with Micronaut's {@code @Controller} in its jar, and the beans that they
 *       inject.
 *   <li>Health: {@link OpeningNode#warnOf} and {@link OpeningNode#needForReadiness}.
 *   <li>Commands: {@link #commands()}.
 *   <li>Migrations: scripts in its jar below {@code db/weir/}, which the migration finds there.
 *   <li>Pages of the dashboard: {@link OpeningNode#page}, with the scripts in its jar. {@link
 *       Configured#offers()} says what else there is to show.
 *   <li>A port of its own: {@link Configured#ports()} and {@link Configured#listen}.
 * </ul>
 */
public interface Capability {
  /**
   * Returns where it stands among the others: those with lower numbers are opened before it and
   * closed after it. What a capability finds at the node was added by one with a lower number.
   */
  int order();

  /**
   * Returns the types of the parts by which a program finds it that opens some capabilities and not
   * all, such as a sender of messages.
   */
  default Set<Class<?>> gives() {
    return Set.of();
  }

  /** Returns the settings that it owns, in the order in which they are listed. */
  default List<Setting> settings() {
    return List.of();
  }

  /** Returns its subcommands of {@code weir}, as picocli takes them. */
  default List<Class<?>> commands() {
    return List.of();
  }

  /**
   * Reads the settings of a node. Opens nothing, so that an invalid setting is reported before
   * anything is started.
   *
   * @throws InvalidSettingException if a setting cannot be used
   */
  Configured configure(Settings settings);

  /** A capability with the settings of a node. */
  interface Configured {
    /** Returns the ports that it will listen on. */
    default List<PortProbe.Listener> ports() {
      return List.of();
    }

    /** Returns the names of what it offers, by which the dashboard says what runs. */
    default Set<String> offers() {
      return Set.of();
    }

    /** Opens its stores, starts what runs in the background, and adds all to the node. */
    void open(OpeningNode node);

    /** Listens on its own ports. Called when everything is open. */
    default void listen(OpeningNode node) {}
  }
}
