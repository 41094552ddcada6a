/** The line being written; line breaks come from pasting and Alt-Enter. `cursor` is in UTF-16 units. */
export interface EditedLine {
  readonly text: string
  readonly cursor: number
}

/** A key, as reported by Node's `readline.emitKeypressEvents`. */
export interface Key {
  readonly name?: string | undefined
  readonly sequence?: string | undefined
  readonly ctrl?: boolean | undefined
  readonly meta?: boolean | undefined
}

export const emptyLine: EditedLine = { text: '', cursor: 0 }

/** Applies a key to the line; returns the same object if the key does not edit. */
export function editLine(line: EditedLine, typed: string | undefined, key: Key): EditedLine {
  const name = `${key.ctrl === true ? 'ctrl-' : ''}${key.meta === true ? 'meta-' : ''}${key.name ?? ''}`
  const edit = edits[name]
  if (edit !== undefined) return edit(line)
  if (key.ctrl === true || key.meta === true || typed === undefined) return line
  return insert(line, typed.replaceAll(/\p{Cc}/gu, ''))
}

/** Inserts pasted text, including line breaks. */
export function pasteInto(line: EditedLine, text: string): EditedLine {
  const clean = text.replaceAll(/\r\n?/g, '\n').replaceAll(/(?![\n\t])\p{Cc}/gu, '')
  return insert(line, clean)
}

const edits: Readonly<Record<string, (line: EditedLine) => EditedLine>> = {
  backspace: (line) => remove(line, before(line), line.cursor),
  'ctrl-h': (line) => remove(line, before(line), line.cursor),
  delete: (line) => remove(line, line.cursor, after(line)),
  left: (line) => ({ ...line, cursor: before(line) }),
  'ctrl-b': (line) => ({ ...line, cursor: before(line) }),
  right: (line) => ({ ...line, cursor: after(line) }),
  'ctrl-f': (line) => ({ ...line, cursor: after(line) }),
  home: (line) => ({ ...line, cursor: 0 }),
  'ctrl-a': (line) => ({ ...line, cursor: 0 }),
  end: (line) => ({ ...line, cursor: line.text.length }),
  'ctrl-e': (line) => ({ ...line, cursor: line.text.length }),
  'ctrl-u': (line) => remove(line, 0, line.cursor),
  'ctrl-k': (line) => remove(line, line.cursor, line.text.length),
  'ctrl-w': (line) => remove(line, wordStart(line), line.cursor),
  'meta-backspace': (line) => remove(line, wordStart(line), line.cursor),
  'meta-b': (line) => ({ ...line, cursor: wordStart(line) }),
  'ctrl-left': (line) => ({ ...line, cursor: wordStart(line) }),
  'meta-f': (line) => ({ ...line, cursor: wordEnd(line) }),
  'meta-return': (line) => insert(line, '\n'),
  'ctrl-right': (line) => ({ ...line, cursor: wordEnd(line) }),
}

function insert(line: EditedLine, text: string): EditedLine {
  const { cursor } = line
  return {
    text: line.text.slice(0, cursor) + text + line.text.slice(cursor),
    cursor: cursor + text.length,
  }
}

function remove(line: EditedLine, from: number, to: number): EditedLine {
  return { text: line.text.slice(0, from) + line.text.slice(to), cursor: from }
}

const segmenter = new Intl.Segmenter()

function before({ text, cursor }: EditedLine): number {
  return segmenter.segment(text).containing(cursor - 1)?.index ?? 0
}

function after({ text, cursor }: EditedLine): number {
  const next = segmenter.segment(text).containing(cursor)
  return next === undefined ? text.length : next.index + next.segment.length
}

function wordStart({ text, cursor }: EditedLine): number {
  return Math.max(0, text.slice(0, cursor).search(/\S+\s*$/))
}

function wordEnd({ text, cursor }: EditedLine): number {
  return cursor + (/^\s*\S*/.exec(text.slice(cursor))?.[0].length ?? 0)
}
