package dev.weir.store.tck.internal;

import java.util.Locale;

/** The bounds within which models are explored, by the system property {@value #PROPERTY}. */
public enum ModelSize {
  /** A few seconds for each model. */
  SMALL,
  /** Minutes for each model. */
  LARGE;

  private static final String PROPERTY = "weir.models.size";

  /** Returns the size to explore now; {@link #SMALL} unless another one is set. */
  public static ModelSize current() {
    return valueOf(System.getProperty(PROPERTY, SMALL.name()).toUpperCase(Locale.ROOT));
  }

  /** Returns one of two bounds. */
  public int of(int small, int large) {
    return switch (this) {
      case SMALL -> small;
      case LARGE -> large;
    };
  }
}
