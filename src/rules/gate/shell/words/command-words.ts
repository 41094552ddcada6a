import type { Command } from 'unbash'
import { braceWords } from './brace-words.ts'
import { wordValue } from './known-word.ts'

/** The words of a command as its program gets them, as far as its text tells: quotes resolved, lists in braces written out. */
export function commandWords({ name, args }: Pick<Command, 'name' | 'args'>): readonly string[] {
  return [
    name?.value ?? '',
    ...args.flatMap((word) =>
      word.type === 'Word' ? (braceWords(word) ?? [wordValue(word)]) : [word.text],
    ),
  ]
}
