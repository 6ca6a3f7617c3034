/** Spring Cloud Gateway as one sets it up by its documentation, to be measured against. */
package dev.weir.benchmarks.spring;
