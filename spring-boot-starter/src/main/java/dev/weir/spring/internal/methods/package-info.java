/** Limited methods: their rules, their keys, and the interception of calls. */
package dev.weir.spring.internal.methods;
