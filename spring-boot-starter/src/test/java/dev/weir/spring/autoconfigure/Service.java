package dev.weir.spring.autoconfigure;

import dev.weir.spring.sample.OrderEndpoints;
import dev.weir.spring.sample.OrderService;
import dev.weir.spring.sample.ReactiveOrderService;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.http.client.ReactorResourceFactory;

/** The sample service, running on a free port, and a client of it. */
public final class Service implements AutoCloseable {
  private static final Duration MAX_WAIT = Duration.ofMinutes(3);

  private static final Duration POLL = Duration.ofMillis(10);

  private final ConfigurableApplicationContext context;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private Service(ConfigurableApplicationContext context) {
    this.context = context;
  }

  /**
   * On Spring MVC.
   *
   * @param parts configurations with beans that the service brings along
   */
  public static Service onTomcat(Map<String, Object> properties, Class<?>... parts) {
    return new Service(start(WebApplicationType.SERVLET, OrderService.class, properties, parts));
  }

  /** On WebFlux, hence on Netty if that is there. */
  public static Service onNetty(Map<String, Object> properties, Class<?>... parts) {
    List<Class<?>> all = new ArrayList<>(List.of(parts));
    all.add(QuickEnd.class);
    return new Service(
        start(
            WebApplicationType.REACTIVE,
            ReactiveOrderService.class,
            properties,
            all.toArray(Class<?>[]::new)));
  }

  /** Ends Netty's threads at once: they usually wait two seconds for further tasks. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "reactor.netty.http.server.HttpServer")
  static class QuickEnd {
    @Bean
    ReactorResourceFactory resources() {
      ReactorResourceFactory resources = new ReactorResourceFactory();
      resources.setShutdownQuietPeriod(Duration.ZERO);
      return resources;
    }
  }

  /** Without a web server. */
  public static Service bare(Map<String, Object> properties, Class<?>... parts) {
    return new Service(start(WebApplicationType.NONE, Bare.class, properties, parts));
  }

  /** Starts only the parts that decide. */
  public static void startAndStop(Map<String, Object> properties, Class<?>... parts) {
    bare(properties, parts).close();
  }

  /** Starts only the parts that decide, without properties but those of an environment. */
  public static void startAndStop(ConfigurableEnvironment environment) {
    new SpringApplicationBuilder(Bare.class)
        .web(WebApplicationType.NONE)
        .environment(environment)
        .bannerMode(Banner.Mode.OFF)
        .registerShutdownHook(false)
        .run()
        .close();
  }

  /** Starts no web server, so it is quick. */
  @ImportAutoConfiguration({
    WeirAutoConfiguration.class,
    WeirJdbcAutoConfiguration.class,
    WeirMethodAutoConfiguration.class,
    WeirRedisAutoConfiguration.class,
    WeirRemoteAutoConfiguration.class,
    WeirSlotsAutoConfiguration.class,
    WeirWorkflowsAutoConfiguration.class
  })
  static final class Bare {}

  private static ConfigurableApplicationContext start(
      WebApplicationType type,
      Class<?> service,
      Map<String, Object> properties,
      Class<?>... parts) {
    Map<String, Object> all = new HashMap<>(properties);
    all.put("server.port", "0");
    all.put("server.address", "127.0.0.1");
    all.put("spring.main.banner-mode", "off");
    // Requests that never end are not waited for.
    all.put("server.shutdown", "immediate");
    all.put("management.endpoint.health.show-details", "always");
    return new SpringApplicationBuilder(service)
        .web(type)
        .sources(parts)
        .properties(all)
        .registerShutdownHook(false)
        .run();
  }

  /** The rules of the guide, as a user would copy them. */
  public static Map<String, Object> guideRules() {
    try {
      String guide = Files.readString(Path.of("..", "docs", "spring.md"));
      Matcher block = Pattern.compile("```yaml\\n(.*?)```", Pattern.DOTALL).matcher(guide);
      if (!block.find()) {
        throw new IllegalStateException("docs/spring.md has no rules");
      }
      ByteArrayResource yaml =
          new ByteArrayResource(block.group(1).getBytes(StandardCharsets.UTF_8));
      Map<String, Object> rules = new HashMap<>();
      for (var source : new YamlPropertySourceLoader().load("guide", yaml)) {
        EnumerablePropertySource<?> properties = (EnumerablePropertySource<?>) source;
        for (String name : properties.getPropertyNames()) {
          rules.put(name, properties.getProperty(name));
        }
      }
      return rules;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  public MeterRegistry meters() {
    return context.getBean(MeterRegistry.class);
  }

  OrderEndpoints endpoints() {
    return part(OrderEndpoints.class);
  }

  /** Returns true if the service has such a part. */
  public boolean has(Class<?> type) {
    return context.getBeanNamesForType(type).length > 0;
  }

  public <T> T part(Class<T> type) {
    return context.getBean(type);
  }

  public Answer get(String path, String... headers) {
    return getLater(path, headers).join();
  }

  /** Sends a request from an address of this machine. */
  int statusFrom(InetAddress address, String path, String... headers) {
    try (HttpClient other =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .localAddress(address)
            .build()) {
      return other
          .sendAsync(request("GET", path, headers), HttpResponse.BodyHandlers.discarding())
          .join()
          .statusCode();
    }
  }

  /** Sends any method, in any spelling. */
  public Answer admit(String method, String path, String... headers) {
    return new Answer(exchange(method, path, headers).join());
  }

  /** Sends a form. */
  public Answer post(String path, String form) {
    HttpRequest request =
        HttpRequest.newBuilder(uri(path))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(form))
            .timeout(MAX_WAIT)
            .build();
    return new Answer(client.sendAsync(request, HttpResponse.BodyHandlers.ofString()).join());
  }

  private URI uri(String path) {
    String port = context.getEnvironment().getProperty("local.server.port");
    return URI.create("http://127.0.0.1:" + port + path);
  }

  public CompletableFuture<Answer> getLater(String path, String... headers) {
    return send(path, headers).thenApply(Answer::new);
  }

  /** To be cancelled: then the connection is closed. */
  public CompletableFuture<HttpResponse<String>> send(String path, String... headers) {
    return exchange("GET", path, headers);
  }

  private CompletableFuture<HttpResponse<String>> exchange(
      String method, String path, String... headers) {
    return client.sendAsync(request(method, path, headers), HttpResponse.BodyHandlers.ofString());
  }

  private HttpRequest request(String method, String path, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri(path))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .timeout(MAX_WAIT);
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    return request.build();
  }

  /** A report that is being worked on, as soon as the one before it has left its place. */
  public Report startReport() {
    AtomicReference<CompletableFuture<Answer>> asked = new AtomicReference<>();
    eventually(
        () -> {
          CompletableFuture<Answer> answer = getLater("/reports/long");
          asked.set(answer);
          eventually(() -> answer.isDone() || !endpoints().reports().isEmpty());
          return !answer.isDone();
        });
    return new Report(asked.get(), endpoints().reports().remove());
  }

  /** A client waits for the response; completing the work sends it. */
  public record Report(CompletableFuture<Answer> answer, CompletableFuture<String> work) {}

  /** An answer of the service. */
  public record Answer(HttpResponse<String> response) {
    public int status() {
      return response.statusCode();
    }

    public String body() {
      return response.body();
    }

    public String header(String name) {
      return response.headers().firstValue(name).orElse("");
    }

    public List<String> headers(String name) {
      return response.headers().allValues(name);
    }
  }

  /** Polls until the condition holds. */
  public static void eventually(BooleanSupplier isSo) {
    long deadline = System.nanoTime() + MAX_WAIT.toNanos();
    while (!isSo.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("it never came to be so");
      }
      LockSupport.parkNanos(POLL.toNanos());
    }
  }

  @Override
  public void close() {
    client.shutdownNow();
    context.close();
  }
}
