import { isRecord } from '../../../util/is-record.ts'
import { tryParseJson } from '../../../util/text/try-parse-json.ts'

/** SCH-01: what a model thinks before it fills in the arguments of a complex tool. */
export const thinkingField = 'thinking'

/**
 * SCH-01: a call's argument text without what the model thought, the rest of it as it was written. A text that is no JSON object
 * stays as it is: it will be refused.
 */
export function withoutThinking(text: string): string {
  const value = tryParseJson(text)
  if (!isRecord(value) || !Object.hasOwn(value, thinkingField)) return text
  const kept = membersOf(text).filter(({ key }) => key !== thinkingField)
  return `{${kept.map(({ written }) => written).join(',')}}`
}

interface Member {
  readonly key: string
  /** Name and value, as they stand in the text. */
  readonly written: string
}

/** The members of an object, of a text that is known to be one. */
function membersOf(text: string): readonly Member[] {
  const members: Member[] = []
  let start = text.indexOf('{') + 1
  for (let depth = 1, at = start; depth > 0; at++) {
    const character = text[at]
    if (character === '"') at = endOfString(text, at)
    else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') depth--
    if (depth === 0 || (depth === 1 && character === ',')) {
      members.push(toMember(text.slice(start, at).trim()))
      start = at + 1
    }
  }
  return members
}

function toMember(written: string): Member {
  return { key: JSON.parse(written.slice(0, endOfString(written, 0) + 1)), written }
}

/** Where the string that begins at `start` has its closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}
