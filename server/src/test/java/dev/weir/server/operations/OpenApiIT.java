package dev.weir.server.operations;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.http.fields.JsonDocument;
import dev.weir.http.json.Json;
import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Setting;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.wiring.Node;
import dev.weir.notifications.server.node.NotificationSetting;
import io.micronaut.context.ApplicationContext;
import io.micronaut.http.HttpMethod;
import io.micronaut.web.router.Router;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What openapi.yaml says is so. */
final class OpenApiIT {
  /** Fields that differ from run to run. */
  private static final Set<String> OF_THE_MOMENT =
      Set.of(
          "createdAt",
          "changedAt",
          "lastRefreshTime",
          "messageId",
          "updatedAt",
          "assignedAt",
          "decidedAt",
          "lastRefillAt",
          "expiresAt",
          "leaseId",
          "reset",
          "retryAfter");

  /** How long a text says to wait: less with each second that this machine takes. */
  private static final Pattern WAIT = Pattern.compile("Try again in \\d+ s");

  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  private final OpenApiDocument document;

  OpenApiIT() throws IOException {
    document = OpenApiDocument.load();
  }

  @Test
  void namesExactlyTheEndpointsThatExist() {
    try (ApplicationContext context =
        ApplicationContext.builder().banner(false).deduceEnvironment(false).start()) {
      Set<String> routes =
          context
              .getBean(Router.class)
              .uriRoutes()
              .filter(route -> route.getHttpMethod() != HttpMethod.HEAD)
              .map(route -> route.getHttpMethodName() + " " + route.getUriMatchTemplate())
              // What a variable may look like is no part of its name.
              .map(route -> route.replaceAll(":[^}]*}", "}"))
              .collect(Collectors.toCollection(TreeSet::new));
      assertThat(document.operations().stream().map(Object::toString)).hasSameElementsAs(routes);
    }
  }

  @Test
  void namesExactlyTheProblemsThatExist() throws IOException {
    Pattern kind = Pattern.compile("[345]\\d\\d, \"([a-z-]+)\"");
    Set<String> kinds = new TreeSet<>(Set.of("bad-request"));
    for (String folder :
        List.of(
            "src/main/java/dev/weir/server",
            "../http/src/main/java",
            "../node/src/main/java",
            "../notifications/server/src/main/java",
            "../payments/server/src/main/java")) {
      try (Stream<Path> sources = Files.walk(Path.of(folder))) {
        for (Path source : sources.filter(OpenApiIT::isOfTheApi).toList()) {
          String text = Files.readString(source).replaceAll("\\s+", " ");
          kind.matcher(text).results().forEach(found -> kinds.add(found.group(1)));
        }
      }
    }
    String described = ((Map<?, ?>) document.root().get("info")).get("description").toString();
    Matcher row = Pattern.compile("\\| \\d{3} \\| `([a-z-]+)` \\|").matcher(described);
    assertThat(row.results().map(found -> found.group(1))).hasSameElementsAs(kinds);
    for (String each : kinds) {
      assertThat(
              document.problem(
                  Map.<Object, Object>of("$ref", "#/components/schemas/Problem"),
                  Map.of(
                      "type",
                      "urn:weir:problem:" + each,
                      "title",
                      "",
                      "status",
                      400,
                      "detail",
                      "")))
          .isEmpty();
    }
  }

  /** The gateway answers others than callers of the API, except for its routes. */
  private static boolean isOfTheApi(Path source) {
    String name = source.getFileName().toString();
    return name.endsWith(".java")
        && (!source.getParent().endsWith("gateway") || name.startsWith("Route"));
  }

  @Test
  void answersItsExamplesAsItSays(@TempDir Path folder) throws Exception {
    List<OpenApiDocument.Exchange> exchanges = document.exchanges();
    assertThat(exchanges.stream().filter(exchange -> exchange.body().isPresent()))
        .hasSize((int) document.bodyExamples());
    // The first message starts a broker, which may take long on a busy machine.
    try (Node node =
        start(
            Map.of(
                ServerSetting.PORT, "0",
                StoreSetting.DATA, folder.toString(),
                ServerSetting.DRAIN, "PT0S",
                StoreSetting.DB_WAIT, "PT2M",
                NotificationSetting.SEND_TIMEOUT, "PT3M"))) {
      for (OpenApiDocument.Exchange exchange : exchanges) {
        HttpResponse<String> response = ask(node.address(), exchange);
        assertThat(response.statusCode()).as(exchange.toString()).isEqualTo(exchange.status());
        assertThat(response.headers().firstValue("Content-Type"))
            .as(exchange.toString())
            .contains(exchange.answer().type());
        compare(exchange, response.body());
      }
      for (OpenApiDocument.Operation operation : document.operations()) {
        if (operation.takesNothing()) {
          assertThat(send(node.address(), operation, ""))
              .as(operation.toString())
              .isEqualTo(Integer.parseInt(operation.firstStatus()));
        }
      }
    }
  }

  @Test
  void saysWhatNeedsAToken() throws Exception {
    try (Node node =
        start(
            Map.of(
                ServerSetting.PORT, "0",
                StoreSetting.SLOTS_STORE, "memory",
                ServerSetting.DRAIN, "PT0S",
                ServerSetting.ADMIN_TOKEN, "token-of-administrators",
                ServerSetting.CLIENT_KEYS, "key-of-a-client-or-two"))) {
      for (OpenApiDocument.Operation operation : document.operations()) {
        boolean guarded = operation.isGuarded();
        boolean admin =
            operation.path().startsWith("/admin")
                || operation.path().startsWith("/api/admin")
                || operation.path().startsWith("/api/config")
                || operation.path().startsWith("/api/analytics")
                || operation.path().startsWith("/api/v1/dashboard")
                || operation.path().matches("/api/v1/payments/feeds/.*(hold|resume|cancel|retry)");
        assertThat(send(node.address(), operation, "") == 401)
            .as(operation + " without a token")
            .isEqualTo(guarded);
        assertThat(send(node.address(), operation, "Bearer stranger") == 403)
            .as(operation + " with a wrong token")
            .isEqualTo(guarded);
        assertThat(send(node.address(), operation, "Bearer key-of-a-client-or-two") == 403)
            .as(operation + " with a client's key")
            .isEqualTo(admin);
        assertThat(send(node.address(), operation, "Bearer token-of-administrators"))
            .as(operation + " with the administrator's token")
            .isNotIn(401, 403)
            .isLessThan(500);
      }
    }
  }

  private void compare(OpenApiDocument.Exchange exchange, String body) {
    if (exchange.answer().value() instanceof String lines) {
      assertThat(body).as(exchange.toString()).isEqualTo(lines);
      return;
    }
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    Object answer = JsonDocument.read(bytes, 0, bytes.length);
    assertThat(withoutMoments(answer))
        .as(exchange.toString())
        .isEqualTo(withoutMoments(OpenApiDocument.asJson(exchange.answer().value())));
    assertThat(document.problem(exchange.schema(), answer)).as(exchange.toString()).isEmpty();
  }

  private static Object withoutMoments(Object value) {
    if (value instanceof Map<?, ?> object) {
      Map<Object, Object> fields = new LinkedHashMap<>();
      object.forEach(
          (name, field) ->
              fields.put(name, OF_THE_MOMENT.contains(name) ? "" : withoutMoments(field)));
      return fields;
    }
    if (value instanceof List<?> items) {
      return items.stream().map(OpenApiIT::withoutMoments).toList();
    }
    return value instanceof String text
        ? WAIT.matcher(text).replaceAll("Try again in a while")
        : value;
  }

  private static HttpResponse<String> ask(URI address, OpenApiDocument.Exchange exchange)
      throws IOException, InterruptedException {
    String path = exchange.operation().path();
    StringBuilder query = new StringBuilder();
    for (Map.Entry<String, String> parameter : exchange.parameters().entrySet()) {
      String value = URLEncoder.encode(parameter.getValue(), StandardCharsets.UTF_8);
      String variable = "{" + parameter.getKey() + "}";
      if (path.contains(variable)) {
        path = path.replace(variable, value);
      } else {
        query.append(query.isEmpty() ? "?" : "&").append(parameter.getKey()).append('=');
        query.append(value);
      }
    }
    HttpRequest.Builder request =
        HttpRequest.newBuilder(address.resolve(path + query))
            .method(
                exchange.operation().method(),
                exchange
                    .body()
                    .map(body -> BodyPublishers.ofString(text(body.value())))
                    .orElse(BodyPublishers.noBody()));
    exchange.body().ifPresent(body -> request.header("Content-Type", body.type()));
    return CLIENT.send(request.build(), BodyHandlers.ofString());
  }

  /** Returns the status. The body is not read, because a stream has no end. */
  private static int send(URI address, OpenApiDocument.Operation operation, String authorization)
      throws IOException, InterruptedException {
    String path = operation.path().replaceAll("\\{\\w+}", "x");
    Optional<String> bodyType = operation.bodyType();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(address.resolve(path))
            .method(
                operation.method(),
                bodyType.isPresent() ? BodyPublishers.ofString("{}") : BodyPublishers.noBody());
    bodyType.ifPresent(type -> request.header("Content-Type", type));
    if (!authorization.isEmpty()) {
      request.header("Authorization", authorization);
    }
    HttpResponse<InputStream> response = CLIENT.send(request.build(), BodyHandlers.ofInputStream());
    response.body().close();
    return response.statusCode();
  }

  private static Node start(Map<Setting, String> settings) {
    return Node.start(Capabilities.read(settings, Map.of(), Optional.empty()));
  }

  /** A value of the document as JSON; a text as it stands. */
  private static String text(Object value) {
    return value instanceof String text
        ? text
        : new String(Json.bytes(json -> write(json, value)), StandardCharsets.UTF_8);
  }

  private static void write(JsonGenerator json, Object value) throws IOException {
    if (value instanceof Map<?, ?> object) {
      json.writeStartObject();
      for (Map.Entry<?, ?> field : object.entrySet()) {
        json.writeFieldName((String) field.getKey());
        write(json, field.getValue());
      }
      json.writeEndObject();
    } else if (value instanceof List<?> items) {
      json.writeStartArray();
      for (Object item : items) {
        write(json, item);
      }
      json.writeEndArray();
    } else if (value instanceof Boolean flag) {
      json.writeBoolean(flag);
    } else if (value instanceof Number number) {
      json.writeNumber(number.toString());
    } else {
      json.writeString((String) value);
    }
  }
}
