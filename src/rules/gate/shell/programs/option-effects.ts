import type { Effect } from '../../../../domain/effect.ts'
import { databaseEffect } from './database-effect.ts'
import { optionEffects } from './option-effect-table.ts'

/** CARD-01: the effect of a program's options and subcommands, with the words that have it. */
export function optionEffect(name: string, rest: readonly string[]): Effect | undefined {
  if (/^mkfs\./.test(name)) return { kind: 'changes_disks', of: name }
  const ofData = databaseEffect(name, rest)
  if (ofData !== undefined) return { kind: ofData, of: name }
  // A quoted text, such as a message, says nothing of what the program does.
  const text = ` ${ownWords(name, plainWords(rest)).join(' ')} `
  for (const { program, words, kind, unless } of optionEffects) {
    if (!program.test(name)) continue
    const found = words.exec(text)
    if (found === null || unless?.test(text) === true) continue
    return { kind, of: subjectOf(name, text.slice(0, found.index + found[0].length)) }
  }
  return undefined
}

export function plainWords(words: readonly string[]): readonly string[] {
  return words.filter((word) => !/\s/.test(word))
}

/** Programs whose words behind the first of these are another command, which is examined by itself. */
const runsInner =
  /^(?:docker|podman|nerdctl|docker-compose|kubectl|oc|npm|pnpm|yarn|bun|uv|poetry|pdm|cargo|go)$/
const innerStart = /^(?:exec|run|x|dlx)$/

/** The words that select what the program does: without the options of git itself, and without an inner command. */
export function ownWords(name: string, rest: readonly string[]): readonly string[] {
  if (name === 'git') {
    const at = rest.findIndex(
      (word, index) => !word.startsWith('-') && !gitValue.test(rest[index - 1] ?? ''),
    )
    return at === -1 ? [] : rest.slice(at)
  }
  if (!runsInner.test(name)) return rest
  const at = /^(?:compose|container)$/.test(rest[0] ?? '') ? 1 : 0
  return innerStart.test(rest[at] ?? '') ? rest.slice(0, at + 1) : rest
}

/** Options of git itself that take the next word. */
const gitValue = /^(?:-[Cc]|--(?:git-dir|work-tree|namespace|exec-path|super-prefix|config-env))$/

const maxWords = 4

/** The program and the words that select what it does: `aws s3 rm`. */
function subjectOf(name: string, text: string): string {
  const own = text
    .trim()
    .split(' ')
    .filter((word) => /^[a-z][\w.:-]*$/i.test(word))
  const most = firstOnly.test(name) ? 1 : maxWords
  return nameOnly.test(name) ? name : [name, ...own.slice(0, most)].join(' ')
}

const firstOnly = /^git$/
/** Programs whose further words are addresses and files. */
const nameOnly = /^(?:find|scp|rsync|curl|wget|mail|mailx|s-nail|mutt|neomutt|chmod|passwd)$/
