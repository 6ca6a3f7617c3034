package dev.weir.engine.rules;

import org.jspecify.annotations.Nullable;

/** What rules look at in a request. */
public interface Request {
  /** As it was sent; rules compare it without regard to case. */
  String method();

  RequestPath path();

  /** Where it comes from: a literal address, as {@link TrustedProxies} found it out. */
  String clientAddress();

  /**
   * What a header says, in whichever case its name is written; null without it.
   *
   * @throws RepeatedHeaderException if it is there more than once, see {@link SingleHeader}
   */
  @Nullable String header(String name);
}
