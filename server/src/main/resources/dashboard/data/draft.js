// A policy that was tried on one page and is edited on another. It lives as long as the page.

let draft = null;

/** Leaves a policy of a configuration for its editor. */
export function leaveDraft(configName, policy) {
  draft = { configName, policy };
}

/** Takes the policy that was left for a configuration, once; undefined if there is none. */
export function takeDraft(configName) {
  const found = draft?.configName === configName ? draft.policy : undefined;
  draft = null;
  return found;
}
