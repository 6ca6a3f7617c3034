package dev.weir.node.settings;

import dev.weir.http.authentication.Exposure;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** The address of a listener in the settings, and who can reach it. */
public record ListenAddress(InetAddress address, Exposure exposure) {

  /**
   * Reads the address of a listener.
   *
   * @throws InvalidSettingException if it is no address
   */
  public static ListenAddress of(Settings settings, Setting host) {
    boolean allowsAnonymous = settings.flag(ServerSetting.ALLOW_ANONYMOUS_CLIENTS);
    if (allowsAnonymous && settings.optional(ServerSetting.CLIENT_KEYS).isPresent()) {
      throw new InvalidSettingException(
          ServerSetting.ALLOW_ANONYMOUS_CLIENTS.key(),
          "must not be true where weir.client-keys is set: no caller would need a key");
    }
    try {
      // A name may have several addresses; any of them may be bound.
      List<InetAddress> addresses = List.of(InetAddress.getAllByName(settings.text(host)));
      return new ListenAddress(
          addresses.getFirst(),
          Exposure.of(
              addresses.stream().allMatch(InetAddress::isLoopbackAddress), allowsAnonymous));
    } catch (UnknownHostException e) {
      throw new InvalidSettingException(host.key(), "is no address: " + settings.text(host));
    }
  }
}
