import { scriptAt } from './file-globs.ts'

/** Words that are no paths by their place or form: lines of `git blame -L /x/,+9`, columns, revisions of `buf --against`. */
export function isValueWord(program: string, words: readonly string[], at: number): boolean {
  const [verb = '', before = '', word = ''] = [words[1], words[at], words[at + 1]]
  if (program === 'git')
    return (
      (verb === 'grep' && isPattern(words.slice(1), at)) ||
      (/^(?:blame|log)$/.test(verb) && before === '-L' && /^\/[^:]*$/.test(word)) ||
      (/^(?:commit|tag|stash|merge|notes)$/.test(verb) && /^(?:-a?m|--message)$/.test(before)) ||
      /^(?:-[GS]|--grep=)\/[^:]*$/.test(word)
    )
  if (/^(?:ag|ack|fd)$/.test(program) && isPattern(words, at + 1)) return true
  const separator = Object.hasOwn(separators, program) ? separators[program] : undefined
  if (separator?.test(word) === true || separator?.test(before + word) === true) return true
  const text = Object.hasOwn(messages, program) ? messages[program] : undefined
  if (text?.option.test(before) === true) return text.verbs.test(words.slice(1, 3).join(' '))
  if (program === 'jq') return scriptAt('jq', words.slice(1)) === at
  if (/^(?:aws|az)$/.test(program)) return before === '--query' && !word.includes('://')
  if (program === 'rails') return before === '-n' && /^\/[^/]*\/$/.test(word)
  if (program === 'xmllint') return before === '--xpath'
  if (program === 'xmlstarlet') return verb === 'sel' && /^-[vmci]$/.test(before)
  if (program === 'buf') return /^(?:--against=)?\.git#(?:branch|tag|ref)=\w[\w./-]*$/.test(word)
  return (
    program === 'kubectl' &&
    /^(?:-o=?|--output=)?(?:custom-columns|jsonpath|go-template)=/.test(word)
  )
}

/** Options whose next word is a text for people, whatever it names. */
const messages: Readonly<Record<string, { readonly verbs: RegExp; readonly option: RegExp }>> = {
  gh: {
    verbs: /^(?:issue|pr|release|discussion) (?:create|comment|edit|review|close|reopen|merge)$/,
    option: /^(?:-[btn]|--(?:body|title|notes|subject|comment))$/,
  },
  glab: {
    verbs: /^(?:issue|mr|release) (?:create|note|update|close)$/,
    option: /^(?:-[dmtN]|--(?:description|message|title|notes))$/,
  },
}

/** Options that take a character: `cut -d/`, `sort -t /`; and what `tr` translates. */
const separators: Readonly<Record<string, RegExp>> = {
  tr: /^..?$/,
  cut: /^-d\/$/,
  awk: /^-F\/$/,
  gawk: /^-F\/$/,
  mawk: /^-F\/$/,
  sort: /^-t\/$/,
  join: /^-t\/$/,
  paste: /^-s?d\/$/,
  column: /^-t?s\/$/,
  numfmt: /^-d\/$/,
}

/** Whether a word is the pattern that a search takes first, if no option can have given or taken it. */
function isPattern(words: readonly string[], at: number): boolean {
  const before = words.slice(1, at)
  return before.every((word) => /^-[aniIwvclhHEFqrLsQ]+$/.test(word)) && !words[at]?.startsWith('-')
}
