package dev.weir.torture.rules;

import dev.weir.torture.history.Exchange;
import java.util.function.Supplier;

/** Repeats a request until it is answered with one of some statuses. */
interface PatientAsker {
  Exchange until(Supplier<Exchange> request, Integer... statuses);
}
