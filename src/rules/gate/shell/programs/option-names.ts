/** Many parsers treat `--exec-argv` and `--execArgv` alike. */
function nameIn(word: string): string {
  const name = word.split('=', 1)[0] ?? word
  if (!name.startsWith('--')) return name
  return name
    .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase()
}

/** Whether a word is this option, with or without a value. */
export function isNamed(name: string, word: string): boolean {
  return nameIn(word) === nameIn(name)
}

/** Options that are not abbreviations of others. */
const complete = /^--(?:help|version|watch|run|rev|coverage)$/

/** Whether a word is a prefix of a long option, which many parsers accept; a name with a dot is no abbreviation. */
function isAbbreviated(name: string, word: string): boolean {
  const short = nameIn(word)
  if (!/^--\w[\w-]{2}/.test(short) || complete.test(short)) return false
  const long = nameIn(name)
  return long.startsWith(short) && !long.slice(short.length).includes('.')
}

/** The value of a short option: attached to its letter, or after a cluster that ends in it. */
function valueOfLetter(name: string, word: string, next: string): string | undefined {
  if (name.length !== 2) return undefined
  if (word.startsWith(name)) return word.slice(2)
  return /^-(?!D)[A-Za-z]{1,6}$/.test(word) && word.endsWith(name.slice(1)) ? next : undefined
}

/** The value that a word, or the next one, gives to an option; undefined: the word is not that option. */
export function optionValue(
  name: string,
  word: string,
  next: string,
  isWhole: boolean,
): string | undefined {
  if (isNamed(name, word) || (!isWhole && isAbbreviated(name, word)))
    return /=(.*)/s.exec(word)?.[1] ?? next
  return valueOfLetter(name, word, next)
}
