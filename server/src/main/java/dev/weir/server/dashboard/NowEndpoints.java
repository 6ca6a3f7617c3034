package dev.weir.server.dashboard;

import dev.weir.http.connections.Draining;
import dev.weir.http.endpoints.ReadsQuery;
import dev.weir.http.endpoints.RequiresRole;
import dev.weir.http.endpoints.Responses;
import dev.weir.http.fields.Fields;
import dev.weir.http.json.Json;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.server.netty.NettyHttpRequest;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import jakarta.inject.Named;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.SynchronousSink;
import reactor.core.scheduler.Schedulers;

/** What happens on this node: the last 15 minutes, and every second from now on. */
@Controller("/api/v1/dashboard")
@RequiresRole(RequiresRole.Role.ADMIN)
@ExecuteOn(TaskExecutors.VIRTUAL)
final class NowEndpoints {
  private static final String RETRY_SECONDS = "10";

  /** The bytes, about a quarter of a minute, that this node and its system each hold. */
  static final int MAX_UNREAD = 8 * 1024;

  /** A comment, so that a client knows that the stream has begun. */
  private static final byte[] GREETING = ": weir\n\n".getBytes(StandardCharsets.US_ASCII);

  /** Where a request of the dashboard itself, or of the user, comes from, as browsers say. */
  private static final Set<String> OWN_SITES = Set.of("same-origin", "none");

  private final NodeFacts facts;
  private final Dashboard dashboard;
  private final DemoTraffic demo;
  private final ExecutorService virtualThreads;

  NowEndpoints(
      NodeFacts facts,
      Dashboard dashboard,
      DemoTraffic demo,
      Draining draining,
      @Named(TaskExecutors.VIRTUAL) ExecutorService virtualThreads) {
    this.facts = facts;
    this.dashboard = dashboard;
    this.demo = demo;
    this.virtualThreads = virtualThreads;
    // A stream without an end would hold up the drain.
    draining.whenBegun(dashboard.viewers()::end);
  }

  @Get("/parts")
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> parts() {
    return Responses.json(
        json -> {
          json.writeStartObject();
          facts.write(json);
          json.writeBooleanField("sampleRunning", demo.isRunning());
          json.writeEndObject();
        });
  }

  @Get("/now")
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> now() {
    NodeState state = dashboard.watch().ask();
    List<Sample> samples = dashboard.ring().after(Long.MIN_VALUE);
    return Responses.json(
        json -> {
          json.writeStartObject();
          json.writeFieldName("state");
          state.write(json);
          json.writeArrayFieldStart("seconds");
          for (Sample sample : samples) {
            json.writeNumber(sample.second());
          }
          json.writeEndArray();
          json.writeObjectFieldStart("series");
          for (Series series : Series.values()) {
            json.writeArrayFieldStart(series.jsonName());
            for (Sample sample : samples) {
              sample.write(json, series);
            }
            json.writeEndArray();
          }
          json.writeEndObject();
          json.writeEndObject();
        });
  }

  /**
   * Streams a sample every second as server-sent events. The stream waits on a virtual thread, and
   * only while its connection takes what was written.
   */
  @Get("/stream")
  @SuppressWarnings("FutureReturnValueIgnored") // Netty closes a connection that fails.
  @ReadsQuery
  @Produces({MediaType.TEXT_EVENT_STREAM, Problem.MEDIA_TYPE})
  HttpResponse<Publisher<byte[]>> stream(HttpRequest<?> request) {
    Fields query = Fields.of(request.getParameters());
    Optional<Long> after = query.count("after", Long.MAX_VALUE);
    query.refuseOtherParameters();
    query.throwIfWrong();
    refuseOtherSites(request);
    Channel channel = ((NettyHttpRequest<?>) request).getChannelHandlerContext().channel();
    Viewer viewer =
        dashboard.viewers().enter(channel::close).orElseThrow(NowEndpoints::tooManyViewers);
    channel.closeFuture().addListener(closed -> viewer.leave());
    boundUnread(channel);
    Watching watching = new Watching(viewer, beginning(viewer, after));
    Flux<byte[]> events =
        Flux.generate(
            () -> watching,
            (state, sink) -> {
              state.emitNext(sink);
              return state;
            },
            Watching::close);
    return HttpResponse.<Publisher<byte[]>>ok(
            events.subscribeOn(Schedulers.fromExecutor(virtualThreads)))
        .contentType(MediaType.TEXT_EVENT_STREAM_TYPE)
        .header("Cache-Control", "no-store")
        // Tells nginx not to collect events.
        .header("X-Accel-Buffering", "no");
  }

  /** A page of another origin cannot read the stream, but would take the place of a viewer. */
  private static void refuseOtherSites(HttpRequest<?> request) {
    String site = request.getHeaders().get("Sec-Fetch-Site");
    // Clients that are no browsers do not send it.
    if (site != null && !OWN_SITES.contains(site)) {
      throw new ProblemException(
          Problem.of(403, "other-origin", "Pages of other sites cannot watch this node."));
    }
  }

  /**
   * Bounds what is written before the viewer reads it. Otherwise the buffers of the system hold the
   * samples of more than an hour, for which one that reads nothing would keep its place.
   */
  static void boundUnread(Channel channel) {
    channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(MAX_UNREAD / 2, MAX_UNREAD));
    // Only sockets have it.
    channel.config().setOption(ChannelOption.SO_SNDBUF, MAX_UNREAD);
  }

  private byte[] beginning(Viewer viewer, Optional<Long> after) {
    List<byte[]> events = new ArrayList<>();
    events.add(GREETING);
    events.add(ServerSentEvent.of("state", Json.bytes(dashboard.watch().ask()::write)).bytes());
    for (Sample sample : dashboard.ring().after(after.orElse(Long.MAX_VALUE))) {
      events.add(ServerSentEvent.of(sample).bytes());
      viewer.sentUpTo(sample.second());
    }
    return ServerSentEvent.join(events);
  }

  private static ProblemException tooManyViewers() {
    return new ProblemException(
        Problem.of(
            503,
            "too-many-viewers",
            "%d viewers watch this node already. Try again later.".formatted(Viewers.MAX_VIEWERS)),
        Map.of("Retry-After", RETRY_SECONDS));
  }

  /** A stream that has begun. */
  private static final class Watching {
    private final Viewer viewer;
    private Optional<byte[]> beginning;

    Watching(Viewer viewer, byte[] beginning) {
      this.viewer = viewer;
      this.beginning = Optional.of(beginning);
    }

    void emitNext(SynchronousSink<byte[]> sink) {
      try {
        Optional<byte[]> next = beginning.isPresent() ? beginning : viewer.next();
        beginning = Optional.empty();
        next.ifPresentOrElse(sink::next, sink::complete);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        sink.error(e);
      }
    }

    void close() {
      viewer.leave();
    }
  }
}
