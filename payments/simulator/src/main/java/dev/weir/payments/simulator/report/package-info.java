/** The report about the calls of a downstream, as a chart and as text. */
@NullMarked
package dev.weir.payments.simulator.report;

import org.jspecify.annotations.NullMarked;
