/** The filters and requests of a service on Spring MVC. */
package dev.weir.spring.internal.servlet;
