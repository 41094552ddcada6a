/**
 * Converts program output to plain text (OUT-01): removes escape sequences, collapses carriage-return progress to its last
 * state, applies backspaces, drops other control characters, replaces NUL and lone surrogates with U+FFFD, and collapses runs
 * of blank lines. Linear in time; the result is never longer than the input.
 */
export function sanitise(text: string): string {
  const storable = text.toWellFormed()
  if (!needsWork.test(storable)) return storable
  const parts: string[] = []
  // The start of the text counts as the start of a line.
  let lineEnds = 1
  for (let from = 0; from < storable.length; ) {
    const end = windowEnd(storable, from)
    const plain = collapseBlankLines(sanitiseLines(storable.slice(from, end)), lineEnds)
    lineEnds = lineEndsOf(plain, lineEnds)
    parts.push(plain)
    from = end
  }
  return parts.join('')
}

/**
 * Size of a chunk in UTF-16 units, rounded up to whole lines, so that intermediate strings of a long text can be freed early.
 * No escape sequence spans lines.
 */
const windowUnits = 65_536

function windowEnd(text: string, from: number): number {
  const lineEnd = text.indexOf('\n', from + windowUnits)
  return lineEnd === -1 ? text.length : lineEnd + 1
}

function sanitiseLines(text: string): string {
  if (!controlOrNul.test(text)) return text
  const plain = text.replaceAll('\0', '\uFFFD').replace(escapeSequence, '')
  return redrawLines(plain).replace(control, '')
}

// Of the control characters only tab and line feed stay.
const controls = String.raw`\u0001-\u0008\u000b-\u001f\u007f-\u009f`
const control = new RegExp(`[${controls}]+`, 'g')
const controlOrNul = new RegExp(String.raw`[\0${controls}]`)
const needsWork = new RegExp(String.raw`[\0${controls}]|\n\n\n|^\n\n`)

/**
 * ECMA-48: CSI with parameters, then strings (OSC may also end with BEL), then two-character escapes. Of a string that is not
 * terminated before the next escape only the introducer is removed: terminals print its text.
 */
const escapeSequence = new RegExp(
  [
    String.raw`(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]`,
    String.raw`\u001b\][^\u0007\u001b\n]*(?:\u0007|\u001b\\)`,
    String.raw`\u001b[PX^_][^\u001b\n]*\u001b\\`,
    String.raw`\u001b[ -/]*[0-~]`,
  ].join('|'),
  'g',
)

/** Redraws only lines that contain a carriage return or backspace; most lines of a long text do not. */
function redrawLines(text: string): string {
  const redraw = /[\r\b]/g
  const parts: string[] = []
  let done = 0
  for (let found = redraw.exec(text); found !== null; found = redraw.exec(text)) {
    const start = text.lastIndexOf('\n', found.index) + 1
    const next = text.indexOf('\n', found.index)
    const end = next === -1 ? text.length : next
    parts.push(text.slice(done, start), redrawLine(text.slice(start, end)))
    done = end
    redraw.lastIndex = end
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(done)
}

function redrawLine(line: string): string {
  const last = line.includes('\r') ? afterLastReturn(line) : line
  return last.includes('\b') ? applyBackspaces(last) : last
}

function afterLastReturn(line: string): string {
  let end = line.length
  while (line[end - 1] === '\r') end -= 1
  return line.slice(end === 0 ? 0 : line.lastIndexOf('\r', end - 1) + 1, end)
}

function applyBackspaces(line: string): string {
  const shown: string[] = []
  for (const character of line) {
    if (character === '\b') shown.pop()
    else shown.push(character)
  }
  return shown.join('')
}

/** `before`: number of line ends directly before the text, which count towards a run of blank lines. */
function collapseBlankLines(text: string, before: number): string {
  const collapsed = text.includes('\n\n\n') ? text.replace(/\n{3,}/g, '\n\n') : text
  if (!collapsed.startsWith('\n')) return collapsed
  return collapsed.replace(/^\n+/, (run) => run.slice(0, Math.max(0, 2 - before)))
}

/** Number of line ends at the end of the text, including those before it if it has nothing else; at most two. */
function lineEndsOf(text: string, before: number): number {
  if (!text.endsWith('\n')) return text === '' ? before : 0
  if (text === '\n') return before + 1
  return text.endsWith('\n\n') ? 2 : 1
}

/**
 * Makes control characters visible (`␛`, `␍`) instead of dropping them, so that a person who approves a diff sees what a
 * terminal would hide. Tab and line feed stay; lone surrogates become U+FFFD.
 */
export function showControls(text: string): string {
  return text.toWellFormed().replace(hidden, toPicture)
}

// C0 and C1 controls, DEL, and characters that reorder text on screen (bidirectional overrides and isolates).
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const hidden = /[\0-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

function toPicture(character: string): string {
  const code = character.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return code === 0x7f ? '\u2421' : '\uFFFD'
}
