package dev.weir.http.endpoints;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The role that the endpoints of a controller require. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface RequiresRole {
  Role value();

  /** A set of permissions of a caller. */
  enum Role {
    /** Reads metrics. On loopback everyone may; elsewhere any token of a client may. */
    OBSERVER,
    CLIENT,
    ADMIN
  }
}
