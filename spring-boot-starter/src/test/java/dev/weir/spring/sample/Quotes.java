package dev.weir.spring.sample;

import dev.weir.spring.RateLimited;

/** What other services may ask; the limit is part of the contract. */
public interface Quotes {
  @RateLimited(rule = "orders", key = "#article")
  String quote(String article);

  /** Knows nothing of limits. */
  class Stocked implements Quotes {
    @Override
    public String quote(String article) {
      return article + ": 7";
    }
  }
}
