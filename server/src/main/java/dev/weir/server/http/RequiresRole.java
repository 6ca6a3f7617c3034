package dev.weir.server.http;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Who may call the endpoints of a controller. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface RequiresRole {
  Role value();

  /** What callers are allowed to do. */
  enum Role {
    CLIENT,
    ADMIN
  }
}
