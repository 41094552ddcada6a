import { makeVisible } from '../../../rules/gate/visible.ts'
import { readTexts } from '../../stored.ts'

/**
 * What a process told of itself, one line each. It is a process's own word and stands on cards: it begins no line of its own,
 * and hides nothing (THREAT-23).
 */
export function readWarnings({ warnings }: { readonly warnings: string }): readonly string[] {
  return readTexts(warnings).map((warning) => makeVisible(warning.replaceAll(/\s+/g, ' ')))
}
