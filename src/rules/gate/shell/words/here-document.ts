import type { HereDoc } from 'unbash'

/** The text of a here-document, tabs in front of its lines included, and where it begins and its last line ends. */
export interface HereDocument {
  readonly body: string
  readonly pos: number
  readonly end: number
}

const delimiterWord = /^(?:'([A-Za-z_]\w{0,39})'|"([A-Za-z_]\w{0,39})"|([A-Za-z_]\w{0,39}))$/

/** What ends a here-document, from the word behind `<<`; undefined for one that is not a plain name. */
export function delimiterOf(word: string): string | undefined {
  const [, single, double, bare] = delimiterWord.exec(word) ?? []
  return single ?? double ?? bare
}

/**
 * Our own reading of the text of a here-document that begins at a place. Undefined where its end is missing, and where a
 * line looks like its end and is none, since shells and people may differ about it.
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

/** SHELL-12: why the text of a here-document is not known word for word. */
export function documentHazard({ descriptor, delimiter, body, closing }: HereDoc) {
  const isKnown = descriptor === undefined && closing !== undefined
  if (!isKnown || delimiterOf(delimiter?.text ?? '') === undefined)
    return 'it holds a here-document whose end is not plain'
  if (delimiter?.quoted !== true && /[$`\\]/.test(body.text))
    return 'it holds a here-document whose text may expand'
  return undefined
}
