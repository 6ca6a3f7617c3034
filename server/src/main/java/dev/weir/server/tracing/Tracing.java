package dev.weir.server.tracing;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.net.URI;
import java.time.Duration;

/**
 * Spans on their way to a collector, over OTLP. What the collector does not take in time is
 * dropped: no request waits for it. Closing it sends what is left. Thread-safe.
 */
public final class Tracing implements AutoCloseable {
  private static final Duration SEND_TIMEOUT = Duration.ofSeconds(3);
  private static final Duration SEND_EVERY = Duration.ofSeconds(1);
  private static final AttributeKey<String> SERVICE = AttributeKey.stringKey("service.name");

  private final SdkTracerProvider provider;
  private final Tracer tracer;

  /**
   * @param collector where it listens for OTLP over HTTP, without {@code /v1/traces}
   * @param percent how many of the requests are followed that bring no decision of their own
   */
  public Tracing(URI collector, int percent) {
    OtlpHttpSpanExporter exporter =
        OtlpHttpSpanExporter.builder()
            .setEndpoint(collector.toString().replaceFirst("/+$", "") + "/v1/traces")
            .setTimeout(SEND_TIMEOUT)
            .build();
    this.provider =
        SdkTracerProvider.builder()
            .setResource(Resource.getDefault().merge(resource()))
            .setSampler(Sampler.parentBased(Sampler.traceIdRatioBased(percent / 100.0)))
            .addSpanProcessor(
                BatchSpanProcessor.builder(exporter).setScheduleDelay(SEND_EVERY).build())
            .build();
    this.tracer = provider.get("dev.weir");
  }

  private static Resource resource() {
    return Resource.create(Attributes.of(SERVICE, "weir"));
  }

  Tracer tracer() {
    return tracer;
  }

  @Override
  public void close() {
    provider.close();
  }
}
