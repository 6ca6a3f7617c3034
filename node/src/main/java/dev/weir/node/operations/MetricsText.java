package dev.weir.node.operations;

import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Writes metrics in the text format of Prometheus. */
public final class MetricsText {
  private static final int USUAL_LENGTH = 16_384;

  private MetricsText() {}

  public static byte[] of(PrometheusRegistry metrics) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(USUAL_LENGTH);
    try {
      PrometheusTextFormatWriter.create().write(out, metrics.scrape());
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory cannot fail", e);
    }
    return out.toByteArray();
  }
}
