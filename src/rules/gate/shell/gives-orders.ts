const plainHidden =
  /^\.(?:(?:git|docker|npm|eslint|prettier|helm)ignore|gitkeep|keep|nojekyll|env\.example)$/

/**
 * Whether a file, by its path from the workspace (which is HOME), is hidden as start files, hooks and settings are
 * (`.bashrc`, `.git/config`, `.npmrc`): a redirection into it changes what the next command runs.
 */
export function givesOrders(relative: string): boolean {
  return relative
    .split('/')
    .some((part) => part.startsWith('.') && !/^\.\.?$/.test(part) && !plainHidden.test(part))
}
