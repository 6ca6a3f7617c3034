package dev.weir.server.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The format of a feed. */
enum FeedFormat {
  NDJSON,
  CSV;

  /** Reads the name of a format, in any case. */
  static final class Converter implements ITypeConverter<FeedFormat> {
    @Override
    public FeedFormat convert(String name) {
      for (FeedFormat format : values()) {
        if (format.name().equalsIgnoreCase(name)) {
          return format;
        }
      }
      throw new TypeConversionException("must be ndjson or csv, not '" + name + "'");
    }
  }

  /** Returns the format that a file name implies, if any. */
  static Optional<FeedFormat> ofFileName(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    if (lower.endsWith(".csv")) {
      return Optional.of(CSV);
    }
    return (lower.endsWith(".ndjson") || lower.endsWith(".jsonl"))
        ? Optional.of(NDJSON)
        : Optional.empty();
  }

  /**
   * Opens a feed in this format.
   *
   * @param configName the configuration of entries that name none
   * @param records the number of entries that the feed should have; empty if unknown
   */
  Feed open(InputStream in, Optional<String> configName, OptionalLong records) throws IOException {
    return switch (this) {
      case NDJSON -> new NdjsonFeed(in, configName, new LineCount(records));
      case CSV -> new CsvFeed(in, configName, new LineCount(records));
    };
  }
}
