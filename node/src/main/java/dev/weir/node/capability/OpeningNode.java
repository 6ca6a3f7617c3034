package dev.weir.node.capability;

import dev.weir.http.endpoints.Readiness;
import dev.weir.node.lifecycle.Drain;
import dev.weir.node.lifecycle.OpenParts;
import dev.weir.node.lifecycle.Upkeep;
import dev.weir.node.stores.Database;
import dev.weir.node.stores.OnChange;
import dev.weir.store.jdbc.internal.ChangeListener;
import dev.weir.store.jdbc.internal.Channel;
import io.micronaut.core.type.Argument;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A node while it is opened: what a capability finds there, and what it adds. Confined to the
 * thread that starts the node.
 */
public final class OpeningNode {
  private final Optional<Database> database;
  private final Set<String> offers;
  private final PrometheusRegistry metrics;
  private final OpenParts open;

  private final Beans beans = new Beans();
  private final List<Object> shared = new ArrayList<>();
  private final Map<String, Object> properties = new TreeMap<>();
  private final Map<Channel, ChangeListener.Listener> changes = new EnumMap<>(Channel.class);
  private final NodeReadiness readiness = new NodeReadiness();
  private final List<Drain.Door> doors = new ArrayList<>();
  private final List<Runnable> drains = new ArrayList<>();
  private final Map<String, URI> addresses = new TreeMap<>();
  private final List<Page> pages = new ArrayList<>();

  /**
   * Creates a node without capabilities.
   *
   * @param database empty if everything is kept in memory
   * @param offers the names of what its capabilities offer
   * @param open receives each part as soon as it is open
   */
  public OpeningNode(
      Optional<Database> database, Set<String> offers, PrometheusRegistry metrics, OpenParts open) {
    this.database = database;
    this.offers = Set.copyOf(offers);
    this.metrics = metrics;
    this.open = open;
    database.ifPresent(used -> needForReadiness(used::reasonAgainst));
    bean(readiness);
    bean(metrics);
  }

  /** Returns the database; empty if everything is kept in memory. */
  public Optional<Database> database() {
    return database;
  }

  /** Returns where metrics are registered. */
  public PrometheusRegistry metrics() {
    return metrics;
  }

  /** Returns what receives each part as soon as it is open, and closes it after later ones. */
  public OpenParts open() {
    return open;
  }

  public Readiness readiness() {
    return readiness;
  }

  /** Adds a part that endpoints inject, and that later capabilities find, by its type. */
  public <T> T bean(T part) {
    beans.add(part);
    return share(part);
  }

  /** Adds one of several beans of the same class that differ in their type arguments. */
  public <T> void bean(Argument<T> type, T part) {
    beans.add(type, part);
  }

  /** Adds a part that later capabilities find by its type. */
  public <T> T share(T part) {
    shared.add(part);
    return part;
  }

  /** Returns the part of this type, if there is one. */
  public <T> Optional<T> find(Class<T> type) {
    return shared.stream().filter(type::isInstance).map(type::cast).findFirst();
  }

  /**
   * Returns the part of this type.
   *
   * @throws IllegalStateException if no capability with a lower order has added one
   */
  public <T> T get(Class<T> type) {
    return find(type)
        .orElseThrow(() -> new IllegalStateException("this node has no " + type.getName()));
  }

  /** Sets a property of Micronaut, such as one that disables an endpoint. */
  public void property(String name, Object value) {
    properties.put(name, value);
  }

  /** Runs a task periodically until the node is closed. */
  public void keepUp(String name, Runnable task, Duration interval) {
    open.add(Upkeep.start(name, task, interval));
  }

  /**
   * Listens to changes that other nodes make.
   *
   * @param one is called with what has changed
   * @param all is called if anything may have changed
   */
  public void onChange(Channel channel, Consumer<String> one, Runnable all) {
    changes.put(channel, new OnChange(one, all));
  }

  /** Adds a reason why the node is not ready; empty while there is none. */
  public void needForReadiness(Supplier<String> reasonAgainst) {
    readiness.need(reasonAgainst);
  }

  /** Adds what operators should know of a node that is ready. */
  public void warnOf(Supplier<List<String>> warnings) {
    readiness.warnOf(warnings);
  }

  /** Adds a port that finishes its requests before the node is closed. */
  public void drain(Drain.Door door) {
    doors.add(door);
  }

  /** Adds what finishes the requests of another port, beside the others. */
  public void drainBeside(Runnable drain) {
    drains.add(drain);
  }

  /** Says where a port of a capability listens. */
  public void listens(String name, URI address) {
    addresses.put(name, address);
  }

  /** Returns where the port of this name listens; empty if it does not. */
  public Optional<URI> address(String name) {
    return Optional.ofNullable(addresses.get(name));
  }

  /** Adds a page to the dashboard, behind those that are there. */
  public void page(Page page) {
    pages.add(page);
  }

  /** Returns the pages that capabilities with lower numbers have added. */
  public List<Page> pages() {
    return List.copyOf(pages);
  }

  /** Returns the names of what its capabilities offer. */
  public Set<String> offers() {
    return offers;
  }

  /** Returns what endpoints inject. */
  public Beans beans() {
    return beans;
  }

  /** Returns the properties of Micronaut. */
  public Map<String, Object> properties() {
    return Collections.unmodifiableMap(properties);
  }

  /** Returns who listens to which changes. */
  public Map<Channel, ChangeListener.Listener> changes() {
    return Collections.unmodifiableMap(changes);
  }

  /** Returns what finishes the requests of ports beside the others. */
  public List<Runnable> drains() {
    return List.copyOf(drains);
  }

  /** Returns the ports of capabilities that finish their requests. */
  public List<Drain.Door> doors() {
    return List.copyOf(doors);
  }
}
