package dev.weir.http.endpoints;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Advice for a caller whose body is too large for the endpoints of a controller. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface TooLargeHint {
  /** Returns the sentence that is appended to the problem. */
  String value();
}
