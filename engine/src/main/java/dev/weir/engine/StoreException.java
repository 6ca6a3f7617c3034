package dev.weir.engine;

/** A store could not do what was asked: it is gone, overloaded, or broke off. Nothing was done. */
public final class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public StoreException(String message) {
    super(message);
  }

  public StoreException(String message, Throwable cause) {
    super(message, cause);
  }
}
