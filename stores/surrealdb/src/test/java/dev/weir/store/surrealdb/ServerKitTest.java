package dev.weir.store.surrealdb;

/** The kits on the SurrealDB server that the environment names. */
@RequiresServer
final class ServerKitTest implements SurrealDbKit {
  @Override
  public Clients clients() {
    return Server.CLIENTS;
  }

  private static final class Server {
    static final Clients CLIENTS = Clients.ofServer();
  }
}
