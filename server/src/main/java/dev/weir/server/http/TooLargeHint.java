package dev.weir.server.http;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** What a caller can do if a body is too large for the endpoints of a controller. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface TooLargeHint {
  /** A sentence that is added to the problem. */
  String value();
}
