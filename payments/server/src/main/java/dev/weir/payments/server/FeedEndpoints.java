package dev.weir.payments.server;

import dev.weir.http.endpoints.MediaTypes;
import dev.weir.http.endpoints.ReadsQuery;
import dev.weir.http.endpoints.RequiresRole;
import dev.weir.http.endpoints.Responses;
import dev.weir.http.endpoints.StreamsLines;
import dev.weir.http.fields.Fields;
import dev.weir.http.fields.PathSegment;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import dev.weir.internal.SlotNames;
import dev.weir.payments.FeedScope;
import dev.weir.payments.FeedStatus;
import dev.weir.payments.OtherFeedException;
import dev.weir.payments.ReceptionLostException;
import dev.weir.payments.TooManyRejectsException;
import dev.weir.payments.feed.internal.FeedException;
import dev.weir.payments.feed.internal.FeedFormat;
import dev.weir.payments.feed.internal.FeedReader;
import dev.weir.payments.feed.internal.FeedTotals;
import dev.weir.payments.server.metrics.PaymentMetrics;
import dev.weir.payments.workflows.FeedReceiver;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.ServerHttpRequest;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Receives feeds of payments, and shows their progress and what was rejected. */
@Controller("/api/v1/payments/feeds")
@RequiresRole(RequiresRole.Role.CLIENT)
@ExecuteOn(TaskExecutors.VIRTUAL)
final class FeedEndpoints {
  private static final Logger log = LoggerFactory.getLogger(FeedEndpoints.class);
  private static final String PATH = "/api/v1/payments/feeds/";

  /** Each feed of a page is counted, so a page is small. */
  private static final int MAX_PAGE = 100;

  private static final long DEFAULT_PAGE = 20;
  private static final long DEFAULT_REJECTS = 1_000;
  private static final int MAX_REJECTS = 10_000;

  /** The segment of the path that has the feed. */
  private static final int ID_SEGMENT = 5;

  private final AvailablePayments available;
  private final PaymentMetrics metrics;

  FeedEndpoints(AvailablePayments available, PaymentMetrics metrics) {
    this.available = available;
    this.metrics = metrics;
  }

  /**
   * Receives a feed while it arrives. It has no effect before it is complete: a request that breaks
   * off is repeated with the same id.
   */
  @Post
  @ReadsQuery
  @StreamsLines
  @Consumes({MediaTypes.CSV, MediaTypes.NDJSON})
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> receive(ServerHttpRequest<?> request) throws IOException {
    PaymentServices services = available.receiving();
    Fields query = Fields.of(request.getParameters());
    String feedId = query.text("feedId").orElseGet(() -> UUID.randomUUID().toString());
    FeedReceiver.feedIdProblem(feedId).ifPresent(problem -> query.wrong("feedId", problem));
    String configName =
        query.text("configName", services.defaultConfig(), SlotNames::configNameProblem);
    FeedTotals announced = announced(request, query);
    query.refuseOtherParameters();
    query.throwIfWrong();
    FeedReceiver.Received received;
    try (InputStream in = request.byteBody().toInputStream()) {
      received =
          receive(services, feedId, configName, FeedReader.open(in, format(request), announced));
      // A client sends a feed to its end before it reads the answer.
      in.transferTo(OutputStream.nullOutputStream());
    } catch (FeedException e) {
      metrics.feedFailed();
      throw PaymentProblems.unusableFeed(e.getMessage() + ".");
    } catch (TooManyRejectsException e) {
      metrics.feedFailed();
      throw PaymentProblems.unusableFeed(e.getMessage() + ".");
    } catch (ReceptionLostException e) {
      metrics.feedFailed();
      throw PaymentProblems.receivedAgain(feedId);
    } catch (OtherFeedException e) {
      metrics.feedFailed();
      throw PaymentProblems.otherFeed(feedId);
    }
    metrics.feedReceived(received);
    if (received.isNew()) {
      log.info(
          "Feed {} is received: {} records, {} rejected, {} repeated",
          feedId,
          received.feed().read(),
          received.feed().rejected(),
          received.feed().repeated());
    }
    services.received().run();
    return Responses.json(HttpStatus.ACCEPTED, json -> PaymentJson.write(json, received.feed()))
        .header(
            HttpHeaders.LOCATION,
            PATH + URLEncoder.encode(feedId, StandardCharsets.UTF_8).replace("+", "%20"));
  }

  /**
   * Reads how long the feed is, as its sender says: from the query, or from header fields where the
   * address is fixed.
   */
  private static FeedTotals announced(HttpRequest<?> request, Fields query) {
    Map<String, Object> given = new LinkedHashMap<>();
    for (Announced field : Announced.values()) {
      List<String> values = new ArrayList<>(request.getHeaders().getAll(field.header));
      query.text(field.parameter).ifPresent(values::add);
      if (values.size() > 1) {
        query.wrong(field.parameter, "occurs twice, perhaps as " + field.header);
      } else if (!values.isEmpty()) {
        given.put(field.parameter, values.getFirst());
      }
    }
    Fields fields = Fields.of(given);
    Optional<Long> records = fields.integer("records", 0, FeedReader.MAX_RECORDS);
    Optional<Map<String, BigDecimal>> controlSum =
        fields.text("controlSum").flatMap(FeedTotals::controlSum);
    if (fields.has("controlSum") && controlSum.isEmpty()) {
      fields.wrong("controlSum", "must be sums by currency, such as EUR:1234.50,USD:3.00");
    }
    fields.throwIfWrong();
    return new FeedTotals(records.map(OptionalLong::of).orElse(OptionalLong.empty()), controlSum);
  }

  /** What a sender may say about a feed. */
  private enum Announced {
    RECORDS("records", "Weir-Records"),
    CONTROL_SUM("controlSum", "Weir-Control-Sum");

    private final String parameter;
    private final String header;

    Announced(String parameter, String header) {
      this.parameter = parameter;
      this.header = header;
    }
  }

  private FeedReceiver.Received receive(
      PaymentServices services, String feedId, String configName, FeedReader reader)
      throws IOException {
    try {
      return services.receiver().receive(feedId, configName, reader.records());
    } catch (UncheckedIOException e) {
      if (!(e.getCause() instanceof FeedException)) {
        metrics.feedFailed();
      }
      throw e.getCause();
    }
  }

  private static FeedFormat format(HttpRequest<?> request) {
    if (MediaTypes.isNdjson(request)) {
      return FeedFormat.NDJSON;
    }
    if (MediaTypes.isCsv(request)) {
      return FeedFormat.CSV;
    }
    throw PaymentProblems.notAFeed();
  }

  @Get
  @ReadsQuery
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> list(HttpRequest<?> request) {
    Fields query = Fields.of(request.getParameters());
    int max = query.count("limit", MAX_PAGE).orElse(DEFAULT_PAGE).intValue();
    String after = query.text("after").orElse("");
    if (query.has("after")) {
      FeedReceiver.feedIdProblem(after).ifPresent(problem -> query.wrong("after", problem));
    }
    query.refuseOtherParameters();
    query.throwIfWrong();
    List<FeedStatus> feeds = available.services().store().feeds(after, max);
    return Responses.json(
        json -> {
          json.writeStartObject();
          json.writeArrayFieldStart("feeds");
          for (FeedStatus feed : feeds) {
            PaymentJson.write(json, feed);
          }
          json.writeEndArray();
          if (feeds.size() == max) {
            json.writeStringField("next", feeds.getLast().feedId());
          }
          json.writeEndObject();
        });
  }

  @Get("/{feedId:[^/]+}")
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> feed(HttpRequest<?> request) {
    FeedStatus feed = feed(available.services(), request);
    return Responses.json(json -> PaymentJson.write(json, feed));
  }

  @Get("/{feedId:[^/]+}/payments")
  @ReadsQuery
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> payments(HttpRequest<?> request) {
    PaymentServices services = available.services();
    FeedStatus feed = feed(services, request);
    return PaymentLists.page(services, request, new FeedScope.One(feed.feedId()));
  }

  @Get("/{feedId:[^/]+}/rejects")
  @ReadsQuery
  @Produces({MediaTypes.NDJSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> rejects(HttpRequest<?> request) {
    Fields query = Fields.of(request.getParameters());
    int max = query.count("limit", MAX_REJECTS).orElse(DEFAULT_REJECTS).intValue();
    long after = query.integer("after", 0, Long.MAX_VALUE).orElse(0L);
    query.refuseOtherParameters();
    query.throwIfWrong();
    PaymentServices services = available.services();
    FeedStatus feed = feed(services, request);
    return Rejects.of(services.store().rejects(feed.feedId(), after, max));
  }

  @Get("/{feedId:[^/]+}/report")
  @Produces({MediaTypes.SVG, MediaTypes.MARKDOWN, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> report(HttpRequest<?> request) {
    PaymentServices services = available.services();
    FeedReport report = FeedReport.of(services, feed(services, request));
    return wantsMarkdown(request) ? report.markdown() : report.chart(ZoneOffset.UTC);
  }

  @Get("/{feedId:[^/]+}/report.svg")
  @ReadsQuery
  @Produces({MediaTypes.SVG, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> chart(HttpRequest<?> request) {
    Fields query = Fields.of(request.getParameters());
    ZoneId zone = query.zone("timeZone").orElse(ZoneOffset.UTC);
    query.refuseOtherParameters();
    query.throwIfWrong();
    PaymentServices services = available.services();
    return FeedReport.of(services, feed(services, request)).chart(zone);
  }

  /** Returns true if the client names Markdown before the image, or only Markdown. */
  private static boolean wantsMarkdown(HttpRequest<?> request) {
    for (MediaType type : request.accept()) {
      if (type.getName().equals(MediaTypes.MARKDOWN)) {
        return true;
      }
      if (type.getName().equals(MediaTypes.SVG) || type.getName().equals("*/*")) {
        return false;
      }
    }
    return false;
  }

  /**
   * Returns the feed that the path names.
   *
   * @throws ProblemException if that is no id of a feed, or of one that is not known
   */
  static FeedStatus feed(PaymentServices services, HttpRequest<?> request) {
    String id = PathSegment.of(request, ID_SEGMENT);
    Fields path = Fields.of(Map.of());
    FeedReceiver.feedIdProblem(id).ifPresent(problem -> path.wrong("feedId", problem));
    path.throwIfWrong();
    return services.store().feed(id).orElseThrow(() -> PaymentProblems.unknownFeed(id));
  }
}
