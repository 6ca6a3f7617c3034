package dev.weir.server.slots;

import dev.weir.http.problems.Problem;
import java.util.function.Supplier;

/** Lines of a stream that are processed together, and their responses, one line for each. */
interface LinePortion {
  /** Adds a line; the bytes are read now. */
  void add(byte[] buffer, int from, int length, long number);

  /** Adds a line that is answered with a problem. */
  void refuse(Problem problem);

  int size();

  /**
   * Begins to process the lines; those of earlier portions come before them. The returned supplier
   * waits for the results and writes the responses; it must be called once.
   */
  Supplier<byte[]> submit();
}
