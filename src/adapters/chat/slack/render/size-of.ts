import { type Marks, run } from '../../render/runs/run.ts'
import type { SizeOf } from '../../render/runs/size.ts'
import { looksLike, toRichText } from './to-rich-text.ts'

/** `entities` are characters of JSON: Slack's limit of all blocks together counts more than their text. */
export const sizeOf: SizeOf = (text, marks, neighbour) => {
  const goesOn = neighbour !== undefined && looksLike(neighbour, marks)
  return { units: text.length, entities: jsonLength(text) + (goesOn ? 0 : frameLength(marks)) }
}

function jsonLength(text: string): number {
  return JSON.stringify(text).length - '""'.length
}

/** Of what stands around a stretch of text, as if it were alone in its part. */
function frameLength(marks: Marks): number {
  return JSON.stringify(toRichText([run('x', marks)])).length
}
