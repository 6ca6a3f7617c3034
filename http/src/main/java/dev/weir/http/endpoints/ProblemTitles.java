package dev.weir.http.endpoints;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The titles of problems of a controller's endpoints, where their contract names others than those
 * of the statuses.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface ProblemTitles {
  /** The title of problems with status 400. */
  String invalid();

  /** The title of problems of a store that failed. */
  String storeUnavailable();
}
