package dev.weir.http.endpoints;

import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ServerFilter;
import io.micronaut.http.server.annotation.PreMatching;
import io.micronaut.http.server.netty.NettyHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpVersion;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Applies rules of HTTP that Micronaut does not check, before an endpoint is matched. */
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
final class StrictRequestFilter {
  private static final String ANY_APPLICATION = "application/*";
  private static final List<String> APPLICATION_TYPES =
      List.of(MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE, MediaTypes.NDJSON, MediaTypes.YAML);

  @PreMatching
  @RequestFilter
  void apply(HttpRequest<?> request) {
    if (request instanceof NettyHttpRequest<?> netty) {
      HttpHeaders headers = netty.getNativeRequest().headers();
      if (netty.getNativeRequest().decoderResult().isSuccess()) {
        needKnownFraming(netty.getNativeRequest().protocolVersion(), headers);
        needOneHost(netty.getNativeRequest().protocolVersion(), headers);
      }
      spellOutRanges(headers);
    }
  }

  /** Refuses versions of HTTP and codings of a body that Micronaut would read as others. */
  private static void needKnownFraming(HttpVersion version, HttpHeaders headers) {
    if (version.majorVersion() != 1) {
      throw new ProblemException(
          Problem.of(505, "version-not-supported", "Only HTTP/1.1 and 1.0 are supported."));
    }
    if (headers.getAll(HttpHeaderNames.TRANSFER_ENCODING).stream()
        .anyMatch(coding -> !coding.strip().equalsIgnoreCase("chunked"))) {
      throw new ProblemException(
          Problem.of(400, "bad-request", "The only supported transfer encoding is chunked."));
    }
  }

  /** Requires one Host, so that proxies and servers agree on the destination (RFC 9112, 3.2). */
  private static void needOneHost(HttpVersion version, HttpHeaders headers) {
    int hosts = headers.getAll(HttpHeaderNames.HOST).size();
    if (hosts > 1 || (hosts == 0 && version.compareTo(HttpVersion.HTTP_1_1) >= 0)) {
      throw new ProblemException(
          Problem.of(400, "bad-request", "Send one header Host, not %d.".formatted(hosts)));
    }
  }

  /**
   * Expands {@code application/*}: Micronaut compares types by name, so it would not match JSON.
   */
  private static void spellOutRanges(HttpHeaders headers) {
    List<String> accepted = headers.getAll(HttpHeaderNames.ACCEPT);
    if (accepted.stream().anyMatch(StrictRequestFilter::hasRange)) {
      headers.set(
          HttpHeaderNames.ACCEPT,
          accepted.stream()
              .flatMap(header -> Stream.of(header.split(",", -1)))
              .flatMap(StrictRequestFilter::spelledOut)
              .collect(Collectors.joining(", ")));
    }
  }

  private static boolean hasRange(String header) {
    return header.toLowerCase(Locale.ROOT).contains(ANY_APPLICATION);
  }

  private static Stream<String> spelledOut(String range) {
    String trimmed = range.trim();
    if (!hasRange(trimmed)) {
      return Stream.of(trimmed);
    }
    String parameters = trimmed.substring(ANY_APPLICATION.length());
    return APPLICATION_TYPES.stream().map(type -> type + parameters);
  }
}
