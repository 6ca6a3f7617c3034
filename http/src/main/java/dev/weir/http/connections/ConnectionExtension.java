package dev.weir.http.connections;

/** Adds handlers to new connections. Every bean of this type is called once per connection. */
public interface ConnectionExtension {
  /** Extends a connection. Called on its event loop, after its pipeline has been built. */
  void extend(HttpConnection connection);
}
