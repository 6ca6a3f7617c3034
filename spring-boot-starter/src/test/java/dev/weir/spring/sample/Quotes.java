package dev.weir.spring.sample;

import dev.weir.spring.RateLimited;

/** A contract for other services; the limit is part of it. */
public interface Quotes {
  @RateLimited(rule = "orders", key = "#article")
  String quote(String article);

  /** An implementation without limits. */
  class Stocked implements Quotes {
    @Override
    public String quote(String article) {
      return article + ": 7";
    }
  }
}
