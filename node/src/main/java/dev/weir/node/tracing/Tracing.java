package dev.weir.node.tracing;

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
 * Exports spans to a collector over OTLP. Spans that the collector does not accept in time are
 * dropped: no request waits for it. Closing sends the remaining spans. Thread-safe.
 */
public final class Tracing implements AutoCloseable {
  private static final Duration SEND_TIMEOUT = Duration.ofSeconds(3);
  private static final Duration SEND_EVERY = Duration.ofSeconds(1);
  private static final AttributeKey<String> SERVICE = AttributeKey.stringKey("service.name");

  private final SdkTracerProvider provider;
  private final Tracer tracer;

  /**
   * Creates the exporter.
   *
   * @param collector the address of the collector for OTLP over HTTP, without {@code /v1/traces}
   * @param percent the percentage of requests that are sampled if the caller has made no sampling
   *     decision
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

  public Tracer tracer() {
    return tracer;
  }

  @Override
  public void close() {
    provider.close();
  }
}
