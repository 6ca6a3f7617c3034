/**
 * How things that people define are kept, whatever they are: under an id, in versions, changed only
 * by who knows the version in force.
 *
 * <p>Start with {@link dev.weir.engine.register.Register}.
 */
package dev.weir.engine.register;
