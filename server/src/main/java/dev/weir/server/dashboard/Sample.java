package dev.weir.server.dashboard;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;

/** The values of one second. Immutable once it is shared. */
@SuppressWarnings("EnumOrdinal") // The array lives no longer than the order of the constants.
final class Sample {
  private final long second;
  private final double[] values = new double[Series.values().length];

  /** Creates a sample of a second since the epoch, with zeros. */
  Sample(long second) {
    this.second = second;
  }

  long second() {
    return second;
  }

  double get(Series series) {
    return values[series.ordinal()];
  }

  Sample set(Series series, long count) {
    return set(series, (double) count);
  }

  Sample set(Series series, double value) {
    values[series.ordinal()] = value;
    return this;
  }

  /** Returns one sample, of this second, for this sample and a later one. */
  Sample merged(Sample later) {
    Sample merged = new Sample(second);
    for (Series series : Series.values()) {
      merged.set(series, series.merged(get(series), later.get(series)));
    }
    return merged;
  }

  /** Writes a value as a number without needless digits, or null if there is none. */
  void write(JsonGenerator json, Series series) throws IOException {
    double value = get(series);
    if (Double.isNaN(value)) {
      json.writeNull();
    } else if (value == Math.rint(value)) {
      json.writeNumber((long) value);
    } else {
      json.writeNumber(Math.round(value * 1_000) / 1_000.0);
    }
  }

  /** Writes this sample as an object. */
  void write(JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeNumberField("second", second);
    for (Series series : Series.values()) {
      json.writeFieldName(series.jsonName());
      write(json, series);
    }
    json.writeEndObject();
  }
}
