/** Characters after which a `$` in double quotes stands for itself in every shell. */
const afterQuoted = /^[ \t\n"./,|);:%^=+~\\\]]?$/
const afterBare = /^[ \t\n;|&)<>]?$/

/** SHELL-12: whether the `$` at a place of a text is a dollar sign: a blank, a quote's end or punctuation follows it. */
export function isPlainDollar(text: string, at: number, isQuoted: boolean): boolean {
  const next = text[at + 1] ?? ''
  return (isQuoted ? afterQuoted : afterBare).test(next)
}

/** SHELL-12: a tab, as bash's own quotes write it; everything else between such quotes asks. */
export const tab = "$'\\t'"
