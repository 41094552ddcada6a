/**
 * OUT-01: what a program printed, as plain text. Escape sequences are removed, carriage-return progress is
 * collapsed to its last state, backspaces are carried out, other control characters dropped, NUL and lone
 * surrogates become U+FFFD, runs of blank lines become one. Linear in time; the result is never longer.
 */
export function sanitise(text: string): string {
  const storable = text.toWellFormed()
  if (!needsWork.test(storable)) return storable
  const parts: string[] = []
  // The beginning is where a line begins, as if one had ended before it.
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
 * In UTF-16 units: so much of a long text is worked on at once, in whole lines, so that what each step leaves behind is soon gone.
 * No sequence goes on behind the end of its line.
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

// Tab and line feed are the only control characters that stay.
const controls = String.raw`\u0001-\u0008\u000b-\u001f\u007f-\u009f`
const control = new RegExp(`[${controls}]+`, 'g')
const controlOrNul = new RegExp(String.raw`[\0${controls}]`)
const needsWork = new RegExp(String.raw`[\0${controls}]|\n\n\n|^\n\n`)

/**
 * ECMA-48: CSI with its parameters, then the strings (OSC also ended by BEL), then two-character escapes.
 * A string that does not end before the next escape loses its introducer only: its text was printed.
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

/** Looks at the lines alone that draw over themselves: most of a long text does not. */
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

/** `before`: how many line ends stand directly before the text. Two are one blank line, and more are none. */
function collapseBlankLines(text: string, before: number): string {
  const collapsed = text.includes('\n\n\n') ? text.replace(/\n{3,}/g, '\n\n') : text
  if (!collapsed.startsWith('\n')) return collapsed
  return collapsed.replace(/^\n+/, (run) => run.slice(0, Math.max(0, 2 - before)))
}

/** How many line ends what went before and the text end with: two at most, as the rest is gone. */
function lineEndsOf(text: string, before: number): number {
  if (!text.endsWith('\n')) return text === '' ? before : 0
  if (text === '\n') return before + 1
  return text.endsWith('\n\n') ? 2 : 1
}
