package dev.weir.spring.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports the property that stopped the start, instead of a stack trace. */
final class WrongSecretAnalyzer extends AbstractFailureAnalyzer<WrongSecretException> {
  @Override
  protected FailureAnalysis analyze(Throwable failure, WrongSecretException wrong) {
    return new FailureAnalysis(
        "The value of the configuration property '%s' cannot be used: %s"
            .formatted(wrong.property(), wrong.reason()),
        "Correct the property.",
        wrong);
  }
}
