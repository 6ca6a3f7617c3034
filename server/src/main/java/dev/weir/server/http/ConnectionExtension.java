package dev.weir.server.http;

/** Adds handlers to new connections. All beans of this type are asked, once per connection. */
public interface ConnectionExtension {
  /** Called on the connection's event loop, after its pipeline has been built. */
  void extend(HttpConnection connection);
}
