import type { Command } from 'unbash'
import { braceWords } from './brace-words.ts'
import { wordValue } from './known-word.ts'

/** A command's words as its program receives them, as far as the text shows: quotes resolved, brace lists expanded. */
export function commandWords({ name, args }: Pick<Command, 'name' | 'args'>): readonly string[] {
  return [
    name?.value ?? '',
    ...args.flatMap((word) =>
      word.type === 'Word' ? (braceWords(word) ?? [wordValue(word)]) : [word.text],
    ),
  ]
}
