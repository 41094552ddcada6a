/** File extensions of scripts, as their interpreters expect them. */
export const scriptName =
  /\.(?:sh|bash|zsh|fish|nu|xsh|elv|ps1|py|rb|pl|php|lua|tcl|exp|awk|[cm]?[jt]sx?|r|jl|exs?|kts|groovy|scala|sc|swift|hs|ml|clj|scm|rkt|lisp|el|dart|nf|nim|cr|bats|robot|scpt|applescript|jsh|ipynb|jar)$/i

/** The first operand, and following ones while each may be the value of the option before it: `ruby -I lib x`. */
export function operandScripts(rest: readonly string[]): readonly string[] {
  const scripts: string[] = []
  let isOpen = true
  for (const [at, word] of rest.entries()) {
    const before = rest[at - 1] ?? ''
    if (word.startsWith('-') || isCode(before)) continue
    if (isOpen || scriptName.test(word)) scripts.push(word)
    if (scriptName.test(word) || !before.startsWith('-')) isOpen = false
  }
  return scripts
}

/** An option whose value is code: `-c` or `-e`, alone or at the end of a cluster. */
export function isCode(option = ''): boolean {
  return /^-[A-Za-z]*[ce]$/.test(option) && !/^-file$/i.test(option)
}
