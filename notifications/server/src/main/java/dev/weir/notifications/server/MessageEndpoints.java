package dev.weir.notifications.server;

import dev.weir.http.endpoints.ProblemTitles;
import dev.weir.http.endpoints.ReadsQuery;
import dev.weir.http.endpoints.RequiresRole;
import dev.weir.http.endpoints.Responses;
import dev.weir.http.fields.Fields;
import dev.weir.http.fields.PathSegment;
import dev.weir.http.json.Snippet;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import dev.weir.notifications.messages.MessageRecord;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Lists messages, shows what became of one, and cancels one that is deferred. */
@Controller("/api/messages")
@RequiresRole(RequiresRole.Role.CLIENT)
@ProblemTitles(
    invalid = NotificationProblems.INVALID,
    storeUnavailable = NotificationProblems.DATABASE_DOWN)
@ExecuteOn(TaskExecutors.VIRTUAL)
final class MessageEndpoints {
  /** The segment of the path that has the message. */
  private static final int ID_SEGMENT = 3;

  private final AvailableNotifications available;

  MessageEndpoints(AvailableNotifications available) {
    this.available = available;
  }

  @Get
  @ReadsQuery
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> list(HttpRequest<?> request) {
    return MessageLists.page(available.services(), request);
  }

  @Get("/{messageId}")
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> message(HttpRequest<?> request) {
    UUID id = id(request);
    MessageRecord record =
        available
            .services()
            .messages()
            .find(id)
            .orElseThrow(() -> new ProblemException(NotificationProblems.unknownMessage(id)));
    return Responses.json(json -> MessageJson.write(json, record.status()));
  }

  @Delete("/{messageId}")
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> cancel(HttpRequest<?> request) {
    UUID id = id(request);
    NotificationServices services = available.services();
    return switch (services.deferred().cancel(id)) {
      case DONE -> {
        services.cancelled().accept(id);
        yield HttpResponse.noContent();
      }
      case TOO_LATE -> throw new ProblemException(NotificationProblems.notDeferred(id));
      case UNKNOWN -> throw new ProblemException(NotificationProblems.unknownMessage(id));
    };
  }

  private static UUID id(HttpRequest<?> request) {
    String text = PathSegment.of(request, ID_SEGMENT);
    Optional<UUID> id = MessageIdText.read(text);
    if (id.isPresent()) {
      return id.get();
    }
    Fields path = Fields.of(Map.of());
    path.wrong("messageId", "must be the id of a message, a UUID, not " + Snippet.of(text));
    path.throwIfWrong();
    throw new IllegalStateException("an invalid id was accepted");
  }
}
