package dev.weir.notifications.server;

import dev.weir.http.endpoints.ProblemTitles;
import dev.weir.http.endpoints.ReadsQuery;
import dev.weir.http.endpoints.RequiresRole;
import dev.weir.http.endpoints.Responses;
import dev.weir.http.fields.Fields;
import dev.weir.http.fields.JsonDocument;
import dev.weir.http.fields.PathSegment;
import dev.weir.http.json.Snippet;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import dev.weir.notifications.messages.UserLimit;
import dev.weir.notifications.messages.UserLimits;
import dev.weir.notifications.messages.UserState;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Configures how many messages users may be sent. */
@Controller("/api/config")
@RequiresRole(RequiresRole.Role.ADMIN)
@ProblemTitles(
    invalid = NotificationProblems.INVALID,
    storeUnavailable = NotificationProblems.DATABASE_DOWN)
@ExecuteOn(TaskExecutors.VIRTUAL)
final class UserLimitEndpoints {
  private static final Logger log = LoggerFactory.getLogger(UserLimitEndpoints.class);
  private static final long DEFAULT_PAGE = 100;
  private static final long BEFORE_FIRST = -1;

  /** The segment of the path that has the user. */
  private static final int USER_SEGMENT = 3;

  private final AvailableNotifications available;

  UserLimitEndpoints(AvailableNotifications available) {
    this.available = available;
  }

  @Post
  @Consumes(MediaType.APPLICATION_JSON)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> configure(@Body byte[] body) {
    UserLimit limit = UserLimitJson.read(JsonDocument.read(body, 0, body.length));
    UserState state = available.services().notifications().configure(limit);
    log.info(
        "Limit of user {} is now version {}: {} in {}",
        limit.userId(),
        state.version(),
        limit.rateLimit(),
        limit.timeWindow());
    return Responses.json(json -> UserLimitJson.write(json, state));
  }

  @Get("/{userId}")
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> limit(HttpRequest<?> request) {
    long userId = userId(PathSegment.of(request, USER_SEGMENT));
    UserState state =
        available
            .services()
            .limits()
            .find(userId)
            .orElseThrow(() -> new ProblemException(NotificationProblems.unknownUser(userId)));
    return Responses.json(json -> UserLimitJson.write(json, state));
  }

  @Get
  @ReadsQuery
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> list(HttpRequest<?> request) {
    Fields query = Fields.of(request.getParameters());
    int max = query.count("limit", UserLimits.MAX_PAGE).orElse(DEFAULT_PAGE).intValue();
    long after = query.text("after").map(text -> userId(query, "after", text)).orElse(BEFORE_FIRST);
    query.refuseOtherParameters();
    query.throwIfWrong();
    List<UserState> users = available.services().limits().list(after, max);
    OptionalLong next =
        users.size() < max
            ? OptionalLong.empty()
            : OptionalLong.of(users.getLast().limit().userId());
    return Responses.json(
        json -> {
          json.writeStartObject();
          json.writeArrayFieldStart("users");
          for (UserState user : users) {
            UserLimitJson.write(json, user);
          }
          json.writeEndArray();
          if (next.isPresent()) {
            json.writeNumberField("next", next.getAsLong());
          }
          json.writeEndObject();
        });
  }

  private static long userId(String text) {
    Fields path = Fields.of(Map.of());
    long userId = userId(path, "userId", text);
    path.throwIfWrong();
    return userId;
  }

  /** Returns the user that a text is; records a violation if it is none. */
  static long userId(Fields fields, String name, String text) {
    String rule = "must be a whole number from 0 to " + Long.MAX_VALUE;
    // Signs, and digits of other scripts, are not written by anyone who means a user.
    if (text.matches("[0-9]{1,19}")) {
      try {
        return Long.parseLong(text);
      } catch (NumberFormatException e) {
        fields.wrong(name, rule + ", not " + text);
        return BEFORE_FIRST;
      }
    }
    fields.wrong(name, rule + ", not " + Snippet.of(text));
    return BEFORE_FIRST;
  }
}
