import type { HereDoc } from 'unbash'

/** The text of a here-document, including leading tabs of its lines, with its start and the end of its last line. */
export interface HereDocument {
  readonly body: string
  readonly pos: number
  readonly end: number
}

const delimiterWord = /^(?:'([A-Za-z_]\w{0,39})'|"([A-Za-z_]\w{0,39})"|([A-Za-z_]\w{0,39}))$/

/** The delimiter of a here-document, from the word after `<<`; undefined if it is not a plain name. */
export function delimiterOf(word: string): string | undefined {
  const [, single, double, bare] = delimiterWord.exec(word) ?? []
  return single ?? double ?? bare
}

/**
 * Our own parser for the text of a here-document that starts at an index. Undefined if its end is missing, or if a line looks
 * like the end but is not, since shells and people may disagree about it.
 */
export function documentAt(
  text: string,
  pos: number,
  delimiter: string,
  stripsTabs: boolean,
): HereDocument | undefined {
  for (let at = pos; at < text.length; ) {
    const stop = text.indexOf('\n', at)
    const end = stop === -1 ? text.length : stop
    const line = text.slice(at, end)
    const bare = stripsTabs ? line.replace(/^\t+/, '') : line
    if (bare === delimiter) return { body: text.slice(pos, at), pos, end }
    if (line.trim() === delimiter) return undefined
    at = end + 1
  }
  return undefined
}

/** SHELL-12: the reason why the text of a here-document is not known literally. */
export function documentHazard({ descriptor, delimiter, body, closing }: HereDoc) {
  const isKnown = descriptor === undefined && closing !== undefined
  if (!isKnown || delimiterOf(delimiter?.text ?? '') === undefined)
    return 'it holds a here-document whose end is not plain'
  if (delimiter?.quoted !== true && /[$`\\]/.test(body.text))
    return 'it holds a here-document whose text may expand'
  return undefined
}
