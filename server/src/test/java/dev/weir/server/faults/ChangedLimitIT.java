package dev.weir.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** A limit that is changed over HTTP is settled in PostgreSQL and in Redis before the answer. */
@EnabledIf("dev.weir.server.faults.RedisProcess#isInstalled")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
final class ChangedLimitIT {
  private static final Pattern ID = Pattern.compile("\"id\":(\\d+)");

  @AutoClose private static final StartedParts STARTED = new StartedParts();

  @TempDir private static Path folder;
  private static Database database;
  private static RedisProcess redis;

  @BeforeAll
  static void start() throws IOException {
    database = STARTED.add(Database.start(folder.resolve("data")));
    redis = STARTED.add(new RedisProcess(Ports.free(), folder.resolve("redis.log")));
  }

  private static Api node(String store) throws IOException {
    Map<String, String> settings = new HashMap<>(database.environment());
    settings.put("WEIR_LIMITS_STORE", store);
    settings.put("WEIR_REDIS_URI", redis.address());
    settings.put("WEIR_REDIS_TIMEOUT", "PT1M");
    NodeProcess node = STARTED.add(NodeProcess.start(folder.resolve(store + ".log"), settings));
    return STARTED.add(new Api(node.awaitReady().address()));
  }

  /** All is used of five in an hour, and then the hour becomes a day. */
  private static void tighten(Api api, String name) throws IOException, InterruptedException {
    String rule = "{\"name\":\"" + name + "\",\"allowedRequests\":5,\"windowSeconds\":%d}";
    HttpResponse<String> created = api.post("/api/admin/rules", rule.formatted(3_600));
    Matcher id = ID.matcher(created.body());
    assertThat(id.find()).as(created.body()).isTrue();
    String check = "{\"rule\":\"" + name + "\",\"key\":\"k\",\"cost\":5}";
    assertThat(api.post("/api/v1/check", check).statusCode()).isEqualTo(200);
    HttpResponse<String> changed =
        api.put("/api/admin/rules/" + id.group(1), rule.formatted(86_400));
    assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
  }

  /** An empty bucket gets a faster rate. */
  private static void speedUp(Api api, String name) throws IOException, InterruptedException {
    String bucket = "{\"capacity\":1000,\"refillRate\":%s}";
    String path = "/api/v1/buckets/" + name;
    assertThat(api.put(path, bucket.formatted("0.000001")).statusCode()).isEqualTo(200);
    assertThat(api.post(path + "/acquire", "{\"tokens\":1000}").statusCode()).isEqualTo(200);
    String before = refilledAt(api.get(path));
    HttpResponse<String> changed = api.put(path, bucket.formatted("0.001"));
    assertThat(refilledAt(changed)).as(changed.body()).isGreaterThan(before);
    assertThat(changed.body()).contains("\"currentTokens\":0");
  }

  private static String refilledAt(HttpResponse<String> state) {
    Matcher found = Pattern.compile("\"lastRefillAt\":\"([^\"]+)\"").matcher(state.body());
    assertThat(found.find()).as(state.body()).isTrue();
    return found.group(1);
  }

  @Test
  void postgresqlKeepsWhatWasUsedForAsLongAsTheNewRuleSays() throws Exception {
    Api api = node("postgresql");
    tighten(api, "sql");
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                """
                select used, scale, remove_at - extract(epoch from now()) * 1000000
                from limit_usage where id = 'f3:sqlk'
                """)) {
      assertThat(rows.next()).isTrue();
      assertThat(rows.getLong(1)).isEqualTo(5);
      assertThat(rows.getLong(2)).isEqualTo(86_400_000_000L);
      assertThat(rows.getLong(3)).isGreaterThan(82_800_000_000L);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
    speedUp(api, "sql");
  }

  @Test
  void redisKeepsWhatWasUsedForAsLongAsTheNewRuleSays() throws Exception {
    Api api = node("redis");
    tighten(api, "api");
    assertThat(millisToLive("weir:f:api:{k}")).isGreaterThan(82_800_000L);
    speedUp(api, "api");
  }

  private long millisToLive(String key) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), redis.port());
        BufferedReader answer =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
      socket
          .getOutputStream()
          .write("PTTL %s\r\n".formatted(key).getBytes(StandardCharsets.US_ASCII));
      return Long.parseLong(answer.readLine().substring(1));
    }
  }
}
