package dev.weir.rules.matching;

import dev.weir.TrustedProxies;
import dev.weir.rules.matching.internal.RepeatedHeaderException;
import dev.weir.rules.matching.internal.SingleHeader;
import org.jspecify.annotations.Nullable;

/** The properties of a request that rules evaluate. */
public interface Request {
  /** Returns the method as it was sent; rules compare it case-insensitively. */
  String method();

  RequestPath path();

  /** Returns the literal address of the client, as determined by {@link TrustedProxies}. */
  String clientAddress();

  /**
   * Returns the value of a header, whose name is case-insensitive; null if it is absent.
   *
   * @throws RepeatedHeaderException if it occurs more than once, see {@link SingleHeader}
   */
  @Nullable String header(String name);
}
