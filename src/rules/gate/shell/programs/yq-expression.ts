/** Options of `yq` before its expression; those with a value that is no file. */
const beforeExpression =
  /^-(?:[rPeNMCj]+|o=?\w+|p=?\w+|I=?\d)$|^--(?:raw-output|prettyPrint|no-colors|no-doc|output-format=\w+|input-format=\w+)$/
const takesFormat = /^(?:-[opI]|--(?:output|input)-format)$/
/** Keys under which configurations have `env`; other names of two parts may be those of files: `.prod.env`. */
const envOf = /^\.(?:[A-Za-z]|spec|metadata|jobs|services|containers|global|runs|values)\.env$/

/**
 * The index of the expression of `yq`; undefined if it may be the name of a file, because `yq` opens a file of that name rather
 * than read it as an expression.
 */
export function expressionAt(words: readonly string[]): number | undefined {
  let at = /^(?:e|eval|ea|eval-all)$/.test(words[1] ?? '') ? 2 : 1
  while (words[at]?.startsWith('-') === true) {
    if (takesFormat.test(words[at] ?? '')) at += 1
    else if (!beforeExpression.test(words[at] ?? '')) return undefined
    at += 1
  }
  const word = words[at] ?? ''
  const isSigned = /[|()"\s]/.test(word) && !word.includes('/')
  const isDeep = /^(?:\.[A-Za-z_][\w-]*(?:\[\d*\])*){3,}$/.test(word) && !word.endsWith('.yq')
  const isKey = /^\.[a-z]\w*\.[a-z]+[A-Z]\w*$/.test(word) || envOf.test(word)
  return isSigned || isDeep || isKey ? at : undefined
}
