/** Characters after which a `$` in double quotes is literal in every shell. */
const afterQuoted = /^[ \t\n"./,|);:%^=+~\\\]]?$/
const afterBare = /^[ \t\n;|&)<>]?$/

/** SHELL-12: whether the `$` at an index is literal: a blank, a closing quote or punctuation follows it. */
export function isPlainDollar(text: string, at: number, isQuoted: boolean): boolean {
  const next = text[at + 1] ?? ''
  return (isQuoted ? afterQuoted : afterBare).test(next)
}

/** SHELL-12: a tab in bash's `$'…'` quotes; any other text in such quotes asks. */
export const tab = "$'\\t'"
